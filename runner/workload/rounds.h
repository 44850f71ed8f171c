#pragma once
// Worker threads that all do the same amount of work and then wait for each other.

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace torchsoak::runner {

class Rounds {
 public:
  /// One thread per worker; worker i calls `work(i, amount)` in every round. `work` must not throw.
  Rounds(std::size_t workers, std::function<void(std::size_t, std::int64_t)> work);
  ~Rounds();
  Rounds(const Rounds&) = delete;
  Rounds& operator=(const Rounds&) = delete;

  /// Runs one round: `amounts[i]` for worker i. Returns when all are done.
  void Run(std::vector<std::int64_t> amounts);

 private:
  void Loop(std::size_t worker);

  std::function<void(std::size_t, std::int64_t)> work_;
  std::mutex mutex_;
  std::condition_variable start_;
  std::condition_variable done_;
  std::vector<std::int64_t> amounts_;  ///< guarded by mutex_, likewise the next three
  std::uint64_t round_ = 0;
  std::size_t busy_ = 0;
  bool ending_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace torchsoak::runner
