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

/// A test that is being deleted ends as an aborted one, whoever holds it back by a finalizer; one
/// that is deleted with --cascade=orphan is left alone, and so are its children.
Plan Decide(const Observed& observed, const Settings& settings);

}  // namespace torchsoak::stresstest
