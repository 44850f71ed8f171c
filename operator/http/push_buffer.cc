#include "operator/http/push_buffer.h"

#include <stdexcept>

namespace torchsoak::http {
namespace {

// A chunk header of "-1" reaches us as a count near SIZE_MAX; the library reads sizes as int.
constexpr std::size_t kLargestPiece = 0x7FFFFFFF;

pplx::task<std::size_t> Refuse(const char* why) {
  return pplx::task_from_exception<std::size_t>(std::runtime_error(why));
}

}  // namespace

pplx::task<PushBuffer::int_type> PushBuffer::_putc(uint8_t byte) {
  return _putn(&byte, 1).then([byte](std::size_t) { return static_cast<int_type>(byte); });
}

pplx::task<std::size_t> PushBuffer::_putn(const uint8_t* bytes, std::size_t count) {
  try {
    if (count > kLargestPiece) return Refuse("impossible chunk size");
    const pplx::task_completion_event<std::size_t> room;
    const auto push = exchange_->OnBody({reinterpret_cast<const char*>(bytes), count},
                                        [room, count] { room.set(count); });
    switch (push) {
      case Exchange::Push::kGoOn:
        return pplx::task_from_result(count);
      case Exchange::Push::kWait:
        return pplx::create_task(room);
      case Exchange::Push::kClosed:
        break;
    }
    return Refuse("the reply is not wanted any more");
  } catch (...) {
    return pplx::task_from_exception<std::size_t>(std::current_exception());
  }
}

}  // namespace torchsoak::http
