#include "runner/measure/streams.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstring>
#include <set>
#include <thread>
#include <vector>

namespace torchsoak::runner {
namespace {

using contract::LeakResult;
using std::chrono::seconds;

/// An hour, one sample a second.
template <typename UseAt>
Streams Hour(UseAt use_at) {
  Streams streams;
  for (int second = 1; second <= 3600; ++second) streams.Add(seconds(second), use_at(second));
  return streams;
}

LeakResult ResultOf(const Streams& streams, std::string_view metric) {
  for (const Streams::Finding& one : streams.Growths(seconds(3600))) {
    if (one.metric == metric) return one.growth.result;
  }
  ADD_FAILURE() << metric << " is not tested";
  return LeakResult::kNotEnoughData;
}

TEST(Streams, EachCurveIsTestedByItself) {
  const Streams streams = Hour([](int second) {
    return ProcessUse{1 << 30, (512 << 20) + second * 20'000, 12, 3 + second / 120};
  });
  EXPECT_EQ(ResultOf(streams, "process.rssAnon"), LeakResult::kFound);  // 69 MiB/h
  EXPECT_EQ(ResultOf(streams, "process.threads"), LeakResult::kFound);  // 30/h
  EXPECT_EQ(ResultOf(streams, "process.descriptors"), LeakResult::kNone);
}

TEST(Streams, GrowthThatIsTooSlowToMatterIsNone) {
  const Streams streams = Hour([](int second) {
    return ProcessUse{1 << 30, (512 << 20) + second * 1000, 12, 3};
  });
  EXPECT_EQ(ResultOf(streams, "process.rssAnon"), LeakResult::kNone);  // 3.4 MiB/h
}

TEST(Streams, WhatCouldNotBeReadIsNotEnoughDataAndNoZero) {
  const Streams streams = Hour([](int) { return ProcessUse{std::nullopt, 512 << 20, 12, 3}; });
  EXPECT_EQ(streams.Find("process.rss")->series.count(), 0);
  const Streams nothing = Hour([](int) { return ProcessUse{}; });
  EXPECT_EQ(ResultOf(nothing, "process.rssAnon"), LeakResult::kNotEnoughData);
}

TEST(Streams, SamplesAreHalfToOneAndAHalfSecondsApartAndNotInStep) {
  std::chrono::nanoseconds at{};
  std::set<std::int64_t> distances;
  for (std::int64_t count = 0; count < 100; ++count) {
    const auto next = NextSample(at, count);
    EXPECT_GE(next - at, std::chrono::milliseconds(500));
    EXPECT_LE(next - at, std::chrono::milliseconds(1500));
    distances.insert((next - at) / std::chrono::milliseconds(1));
    at = next;
  }
  EXPECT_GT(distances.size(), 90U);
  EXPECT_NEAR(std::chrono::duration<double>(at).count(), 100, 2);
}

TEST(ProcessUse, SeesMemoryDescriptorsAndThreadsOfThisProcess) {
  std::jthread([] {}).join();  // a sanitizer starts a thread of its own with the first
  const ProcessUse before = ReadProcessUse();
  ASSERT_TRUE(before.rss && before.anonymous && before.descriptors && before.threads);
  EXPECT_LE(*before.anonymous, *before.rss);

  constexpr std::size_t kSize = 64 << 20;
  std::vector<char> memory(kSize);
  std::memset(memory.data(), 1, memory.size());
  std::array<int, 2> pipe{};
  ASSERT_EQ(::pipe2(pipe.data(), O_CLOEXEC), 0);
  std::jthread thread([](const std::stop_token& stop) {
    while (!stop.stop_requested()) std::this_thread::yield();
  });
  const ProcessUse after = ReadProcessUse();
  EXPECT_GE(*after.anonymous - *before.anonymous, 60 << 20);
  EXPECT_EQ(*after.descriptors, *before.descriptors + 2);
  EXPECT_EQ(*after.threads, *before.threads + 1);
  for (const int end : pipe) ::close(end);
}

}  // namespace
}  // namespace torchsoak::runner
