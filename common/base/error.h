#pragma once
// The one way in which torchsoak reports what the world can cause.
//
// A function that can fail returns Expected<T> (a value or an Error) or Status (nothing or an
// Error). Libraries' exceptions are caught where the library is called and become an Error;
// programming errors assert. Values are cheap to move and own their text; any thread may use them.

#include <string>
#include <string_view>
#include <utility>

#include <tl/expected.hpp>

namespace torchsoak {

/// What kind of failure: chosen so that a caller can decide what to do without reading the text.
enum class ErrorCode {
  kInvalid,      ///< the input is wrong; the same input fails again
  kNotFound,     ///< the thing asked for is not there
  kExists,       ///< a thing of that name is already there
  kConflict,     ///< somebody changed it meanwhile: observe again
  kExpired,      ///< a resource version is too old: list again
  kForbidden,    ///< not allowed (401 after a token refresh, 403)
  kTooLarge,     ///< over a size limit of ours or of the server
  kThrottled,    ///< the server asks to wait; not executed
  kUnavailable,  ///< connection lost or refused, or a 5xx: a read may be retried
  kUnknown,      ///< a write may or may not have happened: observe before anything else
  kTimeout,      ///< a deadline of ours passed
  kCancelled,    ///< we were asked to stop
  kDataLoss,     ///< damaged or truncated data
  kInternal,     ///< an assumption of ours failed
};

/// "Invalid", "NotFound", ...: for logs and metrics labels.
std::string_view ToString(ErrorCode code);

struct Error {
  ErrorCode code = ErrorCode::kInternal;
  std::string message;  ///< plain words: what, which value, what is allowed or what to do next
};

template <typename T>
using Expected = tl::expected<T, Error>;
using Status = Expected<void>;

/// Shorthand for the failing side: `return Fail(ErrorCode::kInvalid, "...")`.
inline tl::unexpected<Error> Fail(ErrorCode code, std::string message) {
  return tl::unexpected<Error>(Error{code, std::move(message)});
}

/// The same failure with the caller's view put in front: "reading the token: <message>".
tl::unexpected<Error> Wrap(std::string_view context, const Error& error);

}  // namespace torchsoak
