#pragma once
// Files of a run on somebody's own machine.

#include <string>
#include <string_view>

#include "common/base/error.h"

namespace torchsoak::runner {

/// The whole file. kInvalid for a folder, kNotFound, kTooLarge above `most` bytes; each names it.
Expected<std::string> ReadFile(const std::string& path, std::size_t most);

/// Under a temporary name first: a reader never sees half a file. False when it cannot be written.
bool WriteFile(const std::string& path, std::string_view bytes);

}  // namespace torchsoak::runner
