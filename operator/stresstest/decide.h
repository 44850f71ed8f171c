#pragma once
// The heart of the operator: from what is observed to what is to be done. Pure: no I/O, no clock of
// its own, no threads, no logging; the same input gives the same plan on every leader.

#include <string>
#include <vector>

#include "operator/stresstest/observed.h"
#include "operator/stresstest/plan.h"

namespace torchsoak::stresstest {

struct Settings {
  std::string runner_image;                 ///< used when spec.image is not set
  std::vector<std::string> allowed_images;  ///< exact, or a prefix that ends in '*'
};

Plan Decide(const Observed& observed, const Settings& settings);

/// True for the operator's own runner image and for what `allowed_images` names.
bool ImageAllowed(const std::string& image, const Settings& settings);

}  // namespace torchsoak::stresstest
