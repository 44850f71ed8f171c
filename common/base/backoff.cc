#include "common/base/backoff.h"

#include <algorithm>
#include <utility>

namespace torchsoak {

Backoff::Backoff(std::chrono::milliseconds first, std::chrono::milliseconds cap,
                 std::function<double()> random)
    : first_(first), cap_(cap), base_(first), random_(std::move(random)) {}

std::chrono::milliseconds Backoff::Next() {
  const auto base = base_;
  base_ = std::min(base_ * 2, cap_);
  const auto jitter = static_cast<long long>(static_cast<double>(base.count()) * random_());
  return base + std::chrono::milliseconds(jitter);
}

void Backoff::Reset() { base_ = first_; }

}  // namespace torchsoak
