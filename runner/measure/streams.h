#pragma once
// The curves in which a leak shows that no allocator counts: sampled about once a second, at the
// end of a step. Each is a metric of the same name. Not thread-safe.

#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "runner/detect/growth.h"
#include "runner/measure/process_use.h"
#include "runner/stats/series.h"

namespace torchsoak::runner {

class Streams {
 public:
  /// Samples what can be read, at a time since measuring began.
  void Add(std::chrono::nanoseconds at, const ProcessUse& use);

  struct Stream {
    std::string_view metric;
    double least_per_hour;  ///< slower growth is no leak; 0: not tested for one
    double least_in_all;    ///< nor is less than this in a whole run
    Series series;
  };
  std::span<const Stream> all() const { return streams_; }

  struct Finding {
    std::string_view metric;
    Growth growth;
  };
  /// The statistical leak test on each stream that is tested; the chance of a false alarm is shared
  /// between them (Bonferroni). `elapsed`: measured time so far, of which the beginning is left
  /// out.
  std::vector<Finding> Growths(std::chrono::nanoseconds elapsed) const;

  /// What the test of one curve of a run of this length goes by; nothing for one that is not
  /// tested.
  std::optional<GrowthLimits> LimitsOf(std::string_view metric,
                                       std::chrono::nanoseconds elapsed) const;

  /// nullptr for a metric that is none of them.
  const Stream* Find(std::string_view metric) const;

 private:
  // Half of resident memory may be files that come and go with the page cache: it is shown, and
  // what is tested is the part that is the process's own. A heap of some hundred MiB takes minutes
  // and up to 6 MiB to settle (seen in half-hour soaks of our own runner), so that less than 16
  // says nothing.
  std::array<Stream, 4> streams_ = {
      Stream{"process.rss", 0, 0, Series()},
      Stream{"process.rssAnon", 8.0 * (1 << 20), 16.0 * (1 << 20), Series()},
      Stream{"process.descriptors", 10, 8, Series()},
      Stream{"process.threads", 10, 8, Series()},
  };
};

/// When the next sample is due after one at `at`, the `count`-th: after 0.5 to 1.5 s, evenly spread
/// and never in step with anything that repeats (multiples of the golden ratio). With equal
/// distances a sawtooth of nearly the same period looks like a slow trend.
std::chrono::nanoseconds NextSample(std::chrono::nanoseconds at, std::int64_t count);

}  // namespace torchsoak::runner
