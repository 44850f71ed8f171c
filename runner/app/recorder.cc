#include "runner/app/recorder.h"

#include <memory>

namespace torchsoak::runner {

Recorder::Recorder(const Clock& clock, Heartbeat& heartbeat, Board& board)
    : clock_(clock), heartbeat_(heartbeat), board_(board) {
  draft_.phase_began = clock_.Boot();
  Publish();
}

void Recorder::Enter(Phase phase) {
  const BootTime now = clock_.Boot();
  draft_.spent[static_cast<std::size_t>(draft_.phase)] += now - draft_.phase_began;
  draft_.phase = phase;
  draft_.phase_began = now;
  heartbeat_.Enter(phase);
  Publish();
}

void Recorder::StartMeasuring(contract::Mode mode) {
  if (!measurements_) measurements_.emplace(mode);
}

void Recorder::Publish() {
  auto snapshot = std::make_shared<Snapshot>(draft_);
  if (measurements_) snapshot->measured = std::make_shared<const Measurements>(*measurements_);
  published_ = clock_.Boot();
  board_.Publish(std::move(snapshot));
}

void Recorder::PublishIfDue(BootTime now) {
  if (now - published_ >= std::chrono::seconds(1)) Publish();
}

}  // namespace torchsoak::runner
