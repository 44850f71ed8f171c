#pragma once

namespace torchsoak {

/// "0.1.0", from the project's CMakeLists.txt. Static storage.
extern const char* const kVersion;

/// The git commit that was built, or "" when unknown. Static storage.
extern const char* const kCommit;

}  // namespace torchsoak
