#pragma once
// A small world to decide in: one test, its Job and pod, and a clock that the test moves.

#include <chrono>
#include <string>

#include "common/contract/result.h"
#include "operator/stresstest/decide.h"

namespace torchsoak::stresstest {

inline constexpr WallTime kStart{std::chrono::seconds(1'800'000'000)};

/// A final result of test "uid-1", attempt 1, as the runner writes it.
contract::RunResult FinalResult(contract::Verdict verdict, contract::Reason reason,
                                const std::string& message = "");
std::string Message(const contract::RunResult& result);

class World {
 public:
  /// A CPU training test "t" in namespace "n", created at kStart.
  World();

  Json& spec() { return observed.test.spec; }
  TestStatus& status() { return observed.test.status; }
  PodView& pod() { return observed.pods.front(); }
  JobView& job() { return observed.jobs.front(); }

  World& After(std::chrono::seconds time) {
    observed.now += time;
    return *this;
  }

  /// Decides and takes the new status over, as if it had been written and read back.
  Plan Step();

  /// Carries Job creation and deletion of the last plan out in this world.
  void Apply(const Plan& plan);

  World& AddJob();
  World& AddPod();  ///< pending
  World& Schedule(const std::string& node);
  World& Run();  ///< the container starts now
  World& Exit(int code, const std::string& message, const std::string& reason = "Error");

  Observed observed;
  Settings settings;
};

/// One whose runner has just started.
World Started();

}  // namespace torchsoak::stresstest
