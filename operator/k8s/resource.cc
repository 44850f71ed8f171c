#include "operator/k8s/resource.h"

#include <algorithm>

namespace torchsoak::k8s {
namespace {

bool IsVersionNumber(std::string_view text) {
  return !text.empty() && text.front() != '0' &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

}  // namespace

std::strong_ordering ResourceVersion::operator<=>(const ResourceVersion& other) const {
  const bool mine = IsVersionNumber(text_);
  const bool theirs = IsVersionNumber(other.text_);
  if (mine != theirs) return mine ? std::strong_ordering::greater : std::strong_ordering::less;
  if (text_.size() != other.text_.size()) return text_.size() <=> other.text_.size();
  return text_.compare(other.text_) <=> 0;
}

}  // namespace torchsoak::k8s
