#pragma once

#include <string>

#include "common/base/clock.h"

namespace torchsoak::runner {

/// "2026-01-02T03:04:05.678Z"
std::string FormatUtc(WallTime time);

/// "20260102T030405Z": for folder names.
std::string CompactUtc(WallTime time);

}  // namespace torchsoak::runner
