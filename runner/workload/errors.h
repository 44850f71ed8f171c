#pragma once

#include <exception>

#include "common/base/error.h"

namespace torchsoak::runner {

/// An exception that came out of LibTorch as our error: kTooLarge when memory ran out, kInvalid for
/// a user's model file, else kInternal; the first line of its text (LibTorch appends a stack
/// trace).
Error ErrorFrom(const std::exception& exception);

}  // namespace torchsoak::runner
