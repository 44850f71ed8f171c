#include "runner/measure/streams.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace torchsoak::runner {

void Streams::Add(std::chrono::nanoseconds at, const ProcessUse& use) {
  const std::array<std::optional<std::int64_t>, 4> values = {use.rss, use.anonymous,
                                                             use.descriptors, use.threads};
  const double seconds = std::chrono::duration<double>(at).count();
  for (std::size_t i = 0; i < streams_.size(); ++i) {
    if (values[i]) streams_[i].series.Add(seconds, static_cast<double>(*values[i]));
  }
}

std::optional<GrowthLimits> Streams::LimitsOf(std::string_view metric,
                                              std::chrono::nanoseconds elapsed) const {
  const Stream* stream = Find(metric);
  if (stream == nullptr || stream->least_per_hour <= 0) return std::nullopt;
  const auto tested =
      std::ranges::count_if(streams_, [](const Stream& one) { return one.least_per_hour > 0; });
  GrowthLimits limits;
  limits.least_per_hour = stream->least_per_hour;
  limits.least_in_all = stream->least_in_all;
  limits.from = WarmupOf(std::chrono::duration<double>(elapsed).count());
  limits.chance /= static_cast<double>(tested);
  return limits;
}

std::vector<Streams::Finding> Streams::Growths(std::chrono::nanoseconds elapsed) const {
  std::vector<Finding> findings;
  for (const Stream& stream : streams_) {
    const auto limits = LimitsOf(stream.metric, elapsed);
    if (limits) findings.push_back({stream.metric, FindGrowth(stream.series.Points(), *limits)});
  }
  return findings;
}

const Streams::Stream* Streams::Find(std::string_view metric) const {
  const auto* found = std::ranges::find(streams_, metric, &Stream::metric);
  return found == streams_.end() ? nullptr : found;
}

std::chrono::nanoseconds NextSample(std::chrono::nanoseconds at, std::int64_t count) {
  constexpr double kGolden = 0.6180339887498949;
  const double turns = kGolden * static_cast<double>(count);
  return at + std::chrono::nanoseconds(std::llround(1e9 * (0.5 + turns - std::floor(turns))));
}

}  // namespace torchsoak::runner
