#pragma once
// What can be said of a user's model file before and after LibTorch has looked at it. Free of
// LibTorch.

#include <stdexcept>
#include <string>

#include "common/contract/models.h"

namespace torchsoak::runner {

/// The file that spec names cannot be used; the words say why, which file, and what to do.
class ModelFileError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Throws ModelFileError for what LibTorch would answer with a riddle: no file, a folder, an empty
/// one, a pickle, not an archive at all.
void CheckModelFile(const contract::ModelSpec& spec);

/// LibTorch's words about a file that it could not load or run, with the file's name, the reader's
/// version and, where the cause is known, the way out.
std::string DescribeModelProblem(const contract::ModelSpec& spec, const std::string& what);

}  // namespace torchsoak::runner
