#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <mutex>
#include <system_error>
#include <thread>

#include "runner/canary/kinds.h"
#include "runner/report/leaks.h"

namespace torchsoak::runner {
namespace {

using std::chrono::milliseconds;

constexpr int kSamples = 480;
/// Made-up distance: 480 of them are 20 minutes.
constexpr milliseconds kApart{2500};
/// 40 MiB in 20 minutes are 120 MiB an hour; 40 descriptors or threads are 120 an hour. The limits
/// of runner/measure/streams.h are 8 MiB and 10.
constexpr std::size_t kBlock = (std::size_t{40} << 20) / kSamples;
constexpr int kSamplesPerThing = 12;

/// What the process uses more and more of. Gives all of it back at its end.
class Growing {
 public:
  ~Growing() {
    for (const int file : files_) ::close(file);
    if (memory_ != nullptr) ::munmap(memory_, kBlock * kSamples);
  }

  /// Throws std::system_error when the machine does not give that much.
  void Step(int i) {
    if (memory_ == nullptr) Reserve();
    std::memset(memory_ + kBlock * static_cast<std::size_t>(i), 1, kBlock);
    if (i % kSamplesPerThing != 0) return;
    const int file = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (file < 0) throw std::system_error(errno, std::generic_category(), "open");
    files_.push_back(file);
    threads_.emplace_back([this](const std::stop_token& stop) {
      std::unique_lock lock(mutex_);
      wake_.wait(lock, stop, [] { return false; });
    });
  }

 private:
  void Reserve() {
    void* memory = ::mmap(nullptr, kBlock * kSamples, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) throw std::system_error(errno, std::generic_category(), "mmap");
    ::madvise(memory, kBlock * kSamples, MADV_NOHUGEPAGE);  // grows by pages, not by 2 MiB
    memory_ = static_cast<char*>(memory);
  }

  char* memory_ = nullptr;
  std::vector<int> files_;
  std::mutex mutex_;
  std::condition_variable_any wake_;
  std::vector<std::jthread> threads_;  ///< last: they use the two above
};

Canary ShowOnce(const CanaryParts& parts) {
  const std::string detail = "120 MiB, 120 descriptors and 120 threads more an hour";
  const ProcessUse before = parts.read_process();
  if (!before.anonymous || !before.descriptors || !before.threads) {
    return Skipped("Growth", "/proc/self cannot be read");
  }
  Measurements measured(parts.spec.mode);
  try {
    Growing growing;
    for (int i = 0; i < kSamples; ++i) {
      growing.Step(i);
      measured.AddProcess(kApart * i, parts.read_process());
      if (parts.beat && i % kSamplesPerThing == 0) parts.beat();
    }
  } catch (const std::system_error& e) {
    return Skipped("Growth", e.what());
  }
  MeasuredStep last;
  last.at = kApart * kSamples;
  measured.Add(last);
  const auto findings = FindLeaks(measured);
  for (const LeakFinding& finding : findings) {
    if (!finding.growth || finding.leak.result == contract::LeakResult::kFound) continue;
    return Dead("Growth", finding.leak.name + " of " + detail);
  }
  const bool failed = LeakGates(findings).back().result == contract::GateResult::kFailed;
  return failed ? Proven("Growth", detail) : Dead("Growth", detail);
}

}  // namespace

Canary ShowGrowingProcess(const CanaryParts& parts) {
  // Other threads may give a lot of memory back just now (an allocator that trims, a model that was
  // built): what hides the fault once does not hide it three times.
  Canary canary = ShowOnce(parts);
  for (int i = 0; i < 2 && canary.state == Canary::State::kDead; ++i) canary = ShowOnce(parts);
  return canary;
}

}  // namespace torchsoak::runner
