#pragma once

#include <cstdint>

namespace torchsoak::runner {

/// Seeds LibTorch's generators on every device.
void SeedEverything(std::uint64_t seed);

}  // namespace torchsoak::runner
