#include "tests/unit/operator/stresstest/world.h"

#include "operator/stresstest/names.h"

namespace torchsoak::stresstest {

contract::RunResult FinalResult(contract::Verdict verdict, contract::Reason reason,
                                const std::string& message) {
  contract::RunResult result;
  result.core.uid = "uid-1";
  result.core.state = contract::ResultState::kFinal;
  result.core.measuring = true;
  result.core.steps = 790;
  result.core.outcome = contract::Outcome{verdict, reason, message};
  result.core.exit = contract::ExitCodeOf(verdict, reason);
  result.place.libtorch = "2.11.0";
  result.metrics.push_back({"training.samplesPerSecond", contract::Statistic::kMean, 15900.0, 790});
  return result;
}

std::string Message(const contract::RunResult& result) {
  return contract::EncodeResult(result).message;
}

World::World() {
  settings.runner_image = "torchsoak/runner:1";
  settings.allowed_images = {"registry.example/team/*", "one.example/exact:1"};
  observed.now = kStart;
  TestView& test = observed.test;
  test.key = {"n", "t"};
  test.uid = "uid-1";
  test.generation = 1;
  test.created = kStart;
  test.spec = Json::parse(R"({
    "mode": "Training", "seed": 0, "suspend": false, "abort": false,
    "training": {"model": {"builtin": "MLP"}, "batchSize": 128, "samplesPerEpoch": 10000,
                 "accumulationSteps": 1, "precision": "FP32", "amp": false, "optimizer": "Adam",
                 "learningRate": "0.001", "checks": ["FiniteLoss"]},
    "gpu": {"perPod": 0, "resourceName": "nvidia.com/gpu"},
    "timeouts": {"scheduling": "15m", "startup": "10m", "stall": "5m", "run": "1h"},
    "retention": {}
  })");
}

Plan World::Step() {
  Plan plan = Decide(observed, settings);
  if (plan.need == Need::kNothing) status() = plan.status;
  return plan;
}

void World::Apply(const Plan& plan) {
  if (plan.create_job) AddJob();
  if (plan.delete_jobs.empty()) return;
  observed.jobs.clear();
  for (PodView& each : observed.pods) each.gone = true;
}

World& World::AddJob() {
  JobView added;
  const auto attempt = std::max<std::int64_t>(status().attempt, 1);
  added.name = JobName("t", 0, attempt);
  added.uid = "job-" + std::to_string(attempt);
  added.created = observed.now;
  observed.jobs = {added};
  return *this;
}

World& World::AddPod() {
  PodView added;
  added.name = job().name + "-abcde";
  added.uid = "pod-of-" + job().uid;
  added.job_uid = job().uid;
  added.phase = "Pending";
  observed.pods.insert(observed.pods.begin(), added);
  return *this;
}

World& World::Schedule(const std::string& node) {
  pod().node = node;
  pod().scheduled = "True";
  pod().scheduled_at = observed.now;
  return *this;
}

World& World::Run() {
  pod().phase = "Running";
  pod().runner.kind = ContainerView::Kind::kRunning;
  pod().runner.started = observed.now;
  return *this;
}

World& World::Exit(int code, const std::string& message, const std::string& reason) {
  ContainerView& runner = pod().runner;
  runner.kind = ContainerView::Kind::kTerminated;
  runner.exit_code = code;
  runner.reason = code == 0 ? "Completed" : reason;
  runner.message = message;
  runner.finished = observed.now;
  pod().phase = code == 0 ? "Succeeded" : "Failed";
  return *this;
}

World Started() {
  World world;
  world.Apply(world.Step());
  world.AddPod()
      .After(std::chrono::seconds(1))
      .Schedule("node-1")
      .After(std::chrono::seconds(1))
      .Run();
  world.Step();
  return world;
}

}  // namespace torchsoak::stresstest
