#include "runner/app/supervisor.h"

#include <pthread.h>

#include <utility>

namespace torchsoak::runner {

Supervisor::Supervisor(Clock& clock, const Board& board, const Heartbeat& heartbeat,
                       std::function<int()> stops, Settings settings, Actions actions)
    : clock_(clock),
      board_(board),
      heartbeat_(heartbeat),
      stops_(std::move(stops)),
      settings_(settings),
      actions_(std::move(actions)),
      watchdog_(settings.limits, clock.Boot()),
      progress_at_(clock.Boot()) {
  thread_ = std::jthread([this](std::stop_token token) { Loop(std::move(token)); });
  pthread_setname_np(thread_.native_handle(), "supervisor");
}

Supervisor::~Supervisor() {
  if (thread_.joinable()) TakeOver();
}

std::optional<End> Supervisor::TakeOver() {
  const bool flushed = taken_.exchange(true);
  thread_.request_stop();
  thread_.join();
  if (flushed) return std::nullopt;
  return End{cause_.load(), "", {}};
}

void Supervisor::Loop(std::stop_token token) {
  while (!taken_.load() && !token.stop_requested()) {
    Tick();
    clock_.Sleep(settings_.tick, token);
  }
}

void Supervisor::Tick() {
  if (auto newest = board_.TryLatest()) latest_ = std::move(newest);
  if (latest_ == nullptr) return;
  const BootTime now = clock_.Boot();
  const Watchdog::Decision decision =
      watchdog_.Check({now, heartbeat_.beats(), heartbeat_.phase(), heartbeat_.step(), stops_()});
  if (decision.order != Watchdog::Order::kNone) {
    cause_ = decision.end.cause;
    stop_ = true;
  }
  if (decision.order == Watchdog::Order::kFlush) {
    if (!taken_.exchange(true)) actions_.flush(*latest_, decision.end);
    return;
  }
  const bool just_begun = latest_->measuring() && !std::exchange(measuring_, latest_->measuring());
  if (!checkpoint_at_ || just_begun || now - *checkpoint_at_ >= settings_.checkpoint_every) {
    checkpoint_at_ = now;
    actions_.checkpoint(*latest_);
  }
  if (now - progress_at_ >= settings_.progress_every) {
    progress_at_ = now;
    actions_.progress(*latest_, heartbeat_.step());
  }
}

}  // namespace torchsoak::runner
