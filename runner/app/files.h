#pragma once
// Files of a run on somebody's own machine.

#include <string>
#include <string_view>

#include "common/base/error.h"

namespace torchsoak::runner {

/// The whole file. kInvalid for a folder, kNotFound, kTooLarge above `most` bytes; each names it.
Expected<std::string> ReadFile(const std::string& path, std::size_t most);

/// report.json, or its gzip unpacked. kInvalid when it is neither.
Expected<std::string> ReadReport(const std::string& bytes);

/// Writes report.json, report.html and junit.xml into `folder`, which exists. A line a file for
/// people, with its path or that it could not be written.
std::string WriteReport(const std::string& folder, const std::string& json);

/// Under a temporary name first: a reader never sees half a file. False when it cannot be written.
bool WriteFile(const std::string& path, std::string_view bytes);

}  // namespace torchsoak::runner
