// The queue under many threads; meant for ThreadSanitizer as much as for its own assertions.

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "operator/runtime/work_queue.h"

namespace torchsoak::runtime {
namespace {

constexpr int kKeys = 16;
constexpr int kAddsPerThread = 2000;

k8s::ObjectKey Key(int i) { return {"n", std::to_string(i)}; }

TEST(WorkQueueThreads, NeverTwiceAtOnceAndNothingIsLost) {
  const auto clock = MakeSystemClock();
  WorkQueue queue(*clock, {.base_delay = std::chrono::microseconds(1),
                           .max_delay = std::chrono::microseconds(50),
                           .rate_per_second = 1e9,
                           .burst = 1e9});
  std::array<std::atomic<int>, kKeys> in_work{};
  std::array<std::atomic<int>, kKeys> wanted{};   // version that a producer asks for
  std::array<std::atomic<int>, kKeys> handled{};  // version that a worker has seen
  std::atomic<bool> overlapped = false;

  std::vector<std::jthread> workers;
  for (int w = 0; w < 4; ++w) {
    workers.emplace_back([&] {
      while (const auto key = queue.Get()) {
        const int i = std::stoi(key->name);
        if (in_work[i].fetch_add(1) != 0) overlapped = true;
        const int seen = wanted[i].load();
        if (seen % 5 == 0) queue.AddAfter(*key, std::chrono::microseconds(seen % 40));
        if (seen % 7 == 0) queue.AddRateLimited(*key);
        if (seen % 3 == 0) queue.Forget(*key);
        handled[i].store(seen);
        in_work[i].fetch_sub(1);
        queue.Done(*key);
      }
    });
  }
  std::vector<std::jthread> producers;
  for (int p = 0; p < 3; ++p) {
    producers.emplace_back([&, p] {
      for (int n = 0; n < kAddsPerThread; ++n) {
        const int i = (n * 7 + p) % kKeys;
        wanted[i].fetch_add(1);
        queue.Add(Key(i));
        if (n % 100 == 0) (void)queue.Unfinished();
      }
    });
  }
  producers.clear();
  for (int i = 0; i < kKeys; ++i) {
    // An add that came during work must lead to work after it: this ends, or the test hangs.
    while (handled[i].load() != wanted[i].load()) std::this_thread::yield();
  }
  queue.ShutDown();
  workers.clear();
  EXPECT_FALSE(overlapped);
}

TEST(WorkQueueThreads, ShutsDownAmidTraffic) {
  const auto clock = MakeSystemClock();
  WorkQueue queue(*clock);
  std::atomic<int> got = 0;
  std::vector<std::jthread> threads;
  for (int w = 0; w < 3; ++w) {
    threads.emplace_back([&] {
      while (const auto key = queue.Get()) {
        ++got;
        queue.Done(*key);
      }
    });
    threads.emplace_back([&](std::stop_token stop) {
      for (int i = 0; !stop.stop_requested(); ++i) {
        queue.Add(Key(i % kKeys));
        queue.AddAfter(Key(i % kKeys), std::chrono::microseconds(i % 100));
      }
    });
  }
  while (got.load() < 100) std::this_thread::yield();
  queue.ShutDown();
  threads.clear();
  EXPECT_EQ(queue.Depth(), 0U);
}

}  // namespace
}  // namespace torchsoak::runtime
