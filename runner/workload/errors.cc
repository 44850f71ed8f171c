#include "runner/workload/errors.h"

#include <array>
#include <new>
#include <string>

#include "runner/model/model_file.h"

namespace torchsoak::runner {
namespace {

// By text: LibTorch throws the same type for a full CPU and for everything else.
constexpr std::array kOutOfMemory = {"out of memory", "can't allocate memory", "not enough memory",
                                     "Cannot allocate memory"};

}  // namespace

Error ErrorFrom(const std::exception& exception) {
  if (dynamic_cast<const ModelFileError*>(&exception) != nullptr) {
    return {ErrorCode::kInvalid, exception.what()};
  }
  const std::string what = exception.what();
  bool memory = dynamic_cast<const std::bad_alloc*>(&exception) != nullptr;
  for (const char* text : kOutOfMemory) memory = memory || what.find(text) != std::string::npos;
  const std::string line = what.substr(0, what.find('\n'));
  if (memory) return {ErrorCode::kTooLarge, "out of memory: " + line};
  return {ErrorCode::kInternal, line};
}

}  // namespace torchsoak::runner
