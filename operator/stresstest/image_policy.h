#pragma once
// Which images a test may name. Pure.

#include <string>

#include "operator/stresstest/decide.h"

namespace torchsoak::stresstest {

/// True for the operator's own runner image and for what `allowed_images` names.
bool ImageAllowed(const std::string& image, const Settings& settings);

}  // namespace torchsoak::stresstest
