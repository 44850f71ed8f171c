#include "runner/workload/rounds.h"

#include <pthread.h>

#include <utility>

namespace torchsoak::runner {

Rounds::Rounds(std::size_t workers, std::function<void(std::size_t, std::int64_t)> work)
    : work_(std::move(work)), amounts_(workers, 0) {
  for (std::size_t i = 0; i < workers; ++i) {
    threads_.emplace_back([this, i] { Loop(i); });
    pthread_setname_np(threads_.back().native_handle(), ("stream-" + std::to_string(i)).c_str());
  }
}

Rounds::~Rounds() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  start_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void Rounds::Run(std::vector<std::int64_t> amounts) {
  std::unique_lock lock(mutex_);
  amounts_ = std::move(amounts);
  busy_ = threads_.size();
  ++round_;
  start_.notify_all();
  done_.wait(lock, [this] { return busy_ == 0; });
}

void Rounds::Loop(std::size_t worker) {
  std::uint64_t seen = 0;
  std::unique_lock lock(mutex_);
  while (true) {
    start_.wait(lock, [&] { return ending_ || round_ != seen; });
    if (ending_) return;
    seen = round_;
    const std::int64_t amount = amounts_[worker];
    lock.unlock();
    work_(worker, amount);
    lock.lock();
    if (--busy_ == 0) done_.notify_all();
  }
}

}  // namespace torchsoak::runner
