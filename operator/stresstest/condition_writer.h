#pragma once
// Sets conditions of one test at the time of one decision.

#include <string_view>

#include "operator/stresstest/observed.h"

namespace torchsoak::stresstest {

/// Looks at `observed` and writes into `status`; both must outlive it.
class ConditionWriter {
 public:
  ConditionWriter(const Observed& observed, TestStatus& status)
      : observed_(observed), status_(status) {}

  /// A flip of the status dates from now.
  void Set(std::string_view type, std::string_view value, std::string_view reason,
           std::string_view message) const {
    From(observed_.now).Set(type, value, reason, message);
  }

  /// The same, with flips that date from `when`: a time that somebody else recorded.
  class Dated {
   public:
    void Set(std::string_view type, std::string_view value, std::string_view reason,
             std::string_view message) const {
      status_.Set({std::string(type), std::string(value), std::string(reason), std::string(message),
                   when_, generation_});
    }

   private:
    friend class ConditionWriter;
    Dated(TestStatus& status, WallTime when, std::int64_t generation)
        : status_(status), when_(when), generation_(generation) {}

    TestStatus& status_;
    WallTime when_;
    std::int64_t generation_;
  };
  Dated From(WallTime when) const { return {status_, when, observed_.test.generation}; }

 private:
  const Observed& observed_;
  TestStatus& status_;
};

}  // namespace torchsoak::stresstest
