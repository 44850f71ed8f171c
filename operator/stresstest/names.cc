#include "operator/stresstest/names.h"

#include <cstdio>

namespace torchsoak::stresstest {

std::string JobName(const std::string& test, std::int64_t run, std::int64_t attempt) {
  char suffix[48];
  std::snprintf(suffix, sizeof suffix, "-r%03lld-a%lld", static_cast<long long>(run),
                static_cast<long long>(attempt));
  return test + suffix;
}

std::string ResultsName(const std::string& test, int index) {
  return test + "-results-" + std::to_string(index);
}

Json OwnedBy(const std::string& test, const k8s::Uid& uid) {
  return Json::array({Json{{"apiVersion", kStressTests.ApiVersion()},
                           {"kind", kStressTests.kind},
                           {"name", test},
                           {"uid", uid},
                           {"controller", true},
                           {"blockOwnerDeletion", true}}});
}

}  // namespace torchsoak::stresstest
