#include "operator/stresstest/live_look.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "common/contract/names.h"
#include "operator/k8s/meta.h"
#include "operator/stresstest/names.h"

namespace torchsoak::stresstest {
namespace {

bool Contains(const std::vector<PodView>& pods, const k8s::Uid& uid) {
  return std::any_of(pods.begin(), pods.end(), [&](const PodView& pod) { return pod.uid == uid; });
}

Expected<std::vector<JobView>> JobsOf(k8s::Client& client, const TestView& test,
                                      std::stop_token stop) {
  const std::int64_t attempt = std::max<std::int64_t>(test.status.attempt, 1);
  const auto job =
      client.Get(kJobs, {test.key.ns, JobName(test.key.name, 0, attempt)}, std::move(stop));
  if (!job && job.error().code != ErrorCode::kNotFound) {
    return tl::unexpected<Error>(job.error());
  }
  std::vector<JobView> jobs;
  if (job && IsJobOf(*job, test)) jobs.push_back(ReadJob(*job));
  return jobs;
}

Expected<std::vector<PodView>> PodsOf(k8s::Client& client, const TestView& test,
                                      const std::stop_token& stop) {
  k8s::ListOptions options;
  options.label_selector = std::string(contract::kLabelUid) + "=" + test.uid;
  const auto listed = client.List(kPods, test.key.ns, options, stop);
  if (!listed) return tl::unexpected<Error>(listed.error());
  std::vector<PodView> pods;
  for (const Json& pod : listed->items) pods.push_back(ReadPod(pod, false));
  const RunStatus* run = test.status.CurrentRun();
  if (run == nullptr || run->pod.empty() || Contains(pods, run->pod_uid)) return pods;
  const auto named = client.Get(kPods, {test.key.ns, run->pod}, stop);
  if (!named && named.error().code != ErrorCode::kNotFound) {
    return tl::unexpected<Error>(named.error());
  }
  if (named && k8s::UidOf(*named) == run->pod_uid) pods.push_back(ReadPod(*named, false));
  return pods;
}

}  // namespace

Status LookLive(k8s::Client& client, Observed& observed, std::stop_token stop) {
  auto jobs = JobsOf(client, observed.test, stop);
  if (!jobs) return tl::unexpected<Error>(jobs.error());
  auto pods = PodsOf(client, observed.test, stop);
  if (!pods) return tl::unexpected<Error>(pods.error());
  for (const PodView& known : observed.pods) {
    if (Contains(*pods, known.uid)) continue;
    if (!known.gone) return Fail(ErrorCode::kThrottled, "the cache is about to see a pod go");
    pods->push_back(known);
  }
  observed.jobs = std::move(*jobs);
  observed.pods = std::move(*pods);
  observed.live = true;
  return {};
}

}  // namespace torchsoak::stresstest
