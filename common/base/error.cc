#include "common/base/error.h"

namespace torchsoak {

std::string_view ToString(ErrorCode code) {
  switch (code) {
    case ErrorCode::kInvalid:
      return "Invalid";
    case ErrorCode::kNotFound:
      return "NotFound";
    case ErrorCode::kExists:
      return "Exists";
    case ErrorCode::kConflict:
      return "Conflict";
    case ErrorCode::kExpired:
      return "Expired";
    case ErrorCode::kForbidden:
      return "Forbidden";
    case ErrorCode::kTooLarge:
      return "TooLarge";
    case ErrorCode::kThrottled:
      return "Throttled";
    case ErrorCode::kUnavailable:
      return "Unavailable";
    case ErrorCode::kUnknown:
      return "Unknown";
    case ErrorCode::kTimeout:
      return "Timeout";
    case ErrorCode::kCancelled:
      return "Cancelled";
    case ErrorCode::kDataLoss:
      return "DataLoss";
    case ErrorCode::kInternal:
      return "Internal";
  }
  return "Internal";
}

tl::unexpected<Error> Wrap(std::string_view context, const Error& error) {
  return tl::unexpected<Error>(Error{error.code, std::string(context) + ": " + error.message});
}

}  // namespace torchsoak
