#pragma once
// Sets conditions of one test at the time of one decision.

#include <string>
#include <string_view>

#include "operator/stresstest/observed.h"

namespace torchsoak::stresstest {

class ConditionWriter {
 public:
  /// Writes into `status`, which must outlive it. A flip of a condition dates from now.
  ConditionWriter(const Observed& observed, TestStatus& status)
      : ConditionWriter(observed, status, observed.now) {}

  /// The same with flips that date from `when`: a time that somebody else recorded.
  ConditionWriter(const Observed& observed, TestStatus& status, WallTime when)
      : status_(status), when_(when), generation_(observed.test.generation) {}

  void Set(std::string_view type, std::string_view value, std::string_view reason,
           std::string_view message) const {
    status_.Set({std::string(type), std::string(value), std::string(reason), std::string(message),
                 when_, generation_});
  }

 private:
  TestStatus& status_;
  WallTime when_;
  std::int64_t generation_;
};

}  // namespace torchsoak::stresstest
