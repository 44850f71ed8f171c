#include "operator/stresstest/image_policy.h"

#include <algorithm>

namespace torchsoak::stresstest {

bool ImageAllowed(const std::string& image, const Settings& settings) {
  if (image == settings.runner_image) return true;
  return std::any_of(settings.allowed_images.begin(), settings.allowed_images.end(),
                     [&](const std::string& allowed) {
                       if (!allowed.empty() && allowed.back() == '*') {
                         return image.rfind(allowed.substr(0, allowed.size() - 1), 0) == 0;
                       }
                       return image == allowed;
                     });
}

}  // namespace torchsoak::stresstest
