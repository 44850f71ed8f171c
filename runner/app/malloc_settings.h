#pragma once

#include "common/base/json.h"

namespace torchsoak::runner {

/// Sets glibc's malloc thresholds, once, before threads start, and returns what was set.
///
/// With the defaults a training step in C++ maps and unmaps its larger buffers anew every time and
/// loses to Python, whose warm-up happens to raise the same thresholds. Fixed, they are the same
/// for every run and the numbers can be compared.
Json SetMallocThresholds();

}  // namespace torchsoak::runner
