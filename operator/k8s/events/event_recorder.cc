#include "operator/k8s/events/event_recorder.h"

#include <pthread.h>

#include <algorithm>
#include <condition_variable>
#include <thread>
#include <utility>

namespace torchsoak::k8s {
namespace {

bool WorthAnotherTry(ErrorCode code) {
  switch (code) {
    case ErrorCode::kUnavailable:
    case ErrorCode::kUnknown:
    case ErrorCode::kTimeout:
    case ErrorCode::kThrottled:
    case ErrorCode::kConflict:
      return true;
    default:
      return false;
  }
}

}  // namespace

EventRecorder::EventRecorder(EventSource source, Client& client, Clock& clock)
    : client_(client), clock_(clock), series_(std::move(source)) {}

void EventRecorder::Record(Event event) {
  if (event.reason.empty() || event.action.empty()) return Drop();
  const WallTime at = clock_.Wall();
  {
    const std::lock_guard lock(mutex_);
    if (queue_.size() >= kMaxQueue) return Drop();
    queue_.push_back({std::move(event), at});
  }
  doorbell_.Ring();
}

Status EventRecorder::Run(std::stop_token stop) {
  const std::stop_source hurry;
  const Tokens tokens{stop, hurry.get_token()};
  const std::jthread helper([this, stop, hurry](std::stop_token ended) {
    pthread_setname_np(pthread_self(), "events-flush");
    HurryAfterFlush(stop, std::move(ended), hurry);
  });
  BootTime ticked = clock_.Boot();
  while (!stop.stop_requested()) {
    SendQueued(tokens);
    if (clock_.Boot() - ticked >= kTick) {
      ticked = clock_.Boot();
      SendAll(series_.Tick(ticked), tokens);
    }
    doorbell_.Wait(clock_, kTick, stop);
  }
  SendQueued(tokens);
  SendAll(series_.Flush(clock_.Boot()), tokens);
  return {};
}

/// Sleeps until `stop`, then for kFlush, then cancels what is still under way.
void EventRecorder::HurryAfterFlush(std::stop_token stop, std::stop_token ended,
                                    std::stop_source hurry) {
  std::mutex mutex;
  std::condition_variable_any wake;
  std::unique_lock lock(mutex);
  wake.wait(lock, stop, [] { return false; });
  lock.unlock();
  if (clock_.Sleep(kFlush, ended)) hurry.request_stop();
}

std::optional<EventRecorder::Queued> EventRecorder::Pop() {
  const std::lock_guard lock(mutex_);
  if (queue_.empty()) return std::nullopt;
  Queued first = std::move(queue_.front());
  queue_.pop_front();
  return first;
}

void EventRecorder::SendQueued(const Tokens& tokens) {
  while (std::optional<Queued> next = Pop()) {
    SendAll(series_.Add(next->event, next->at, clock_.Boot()), tokens);
  }
}

void EventRecorder::SendAll(const std::vector<EventCall>& calls, const Tokens& tokens) {
  for (const EventCall& call : calls) {
    if (!Send(call, tokens)) Drop();
  }
}

bool EventRecorder::Send(const EventCall& call, const Tokens& tokens) {
  std::chrono::seconds delay{1};
  for (int tries = 1; !tokens.hurry.stop_requested(); ++tries) {
    const Status sent = Try(call, tokens.hurry);
    if (sent) return true;
    if (!WorthAnotherTry(sent.error().code) || tries == kMaxTries) return false;
    if (tokens.stop.stop_requested()) return false;
    clock_.Sleep(delay, tokens.stop);  // ended by stop: one last try
    delay = std::min(delay * 2, kRetryDelay);
  }
  return false;
}

Status EventRecorder::Try(const EventCall& call, std::stop_token hurry) {
  const bool create = call.kind == EventCall::Kind::kCreate;
  if (!create) {
    const auto patched = client_.MergePatch(EventType(), call.key, call.body, hurry);
    if (patched) return {};
    if (patched.error().code != ErrorCode::kNotFound) return tl::unexpected(patched.error());
  }
  // A patch finds nothing when the event has expired (after an hour) or was never created.
  const Json& body = create ? call.body : call.whole;
  const auto created = client_.Create(EventType(), call.key.ns, body, hurry);
  if (created) return {};
  if (created.error().code != ErrorCode::kExists) return tl::unexpected(created.error());
  // Our own create whose reply was lost; after a patch it means that the event has just appeared,
  // and the patch is to be tried again (kubernetes#114237).
  if (create) return {};
  return Fail(ErrorCode::kConflict, "event " + call.key.ToString() + " appeared meanwhile");
}

}  // namespace torchsoak::k8s
