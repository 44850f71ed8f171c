#include "runner/report/cgroup.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "tests/fakes/temp_folder.h"

namespace torchsoak::runner {
namespace {

namespace fs = std::filesystem;

class Cgroup : public testing::Test {
 protected:
  void Put(const std::string& path, const std::string& text) {
    fs::create_directories(fs::path(root_ + path).parent_path());
    std::ofstream(root_ + path) << text << "\n";
  }
  const fakes::TempFolder folder_;
  const std::string root_ = folder_.path().string();
};

TEST_F(Cgroup, NoneFoundIsNoLimit) {
  const CgroupLimits limits = ReadCgroup(root_);
  EXPECT_EQ(limits.version, 0);
  EXPECT_FALSE(limits.memory);
  EXPECT_FALSE(limits.cpus);
}

TEST_F(Cgroup, ReadsVersionTwo) {
  Put("/proc/self/cgroup", "0::/");
  Put("/sys/fs/cgroup/cgroup.controllers", "cpu memory");
  Put("/sys/fs/cgroup/memory.max", "2147483648");
  Put("/sys/fs/cgroup/cpu.max", "150000 100000");
  const CgroupLimits limits = ReadCgroup(root_);
  EXPECT_EQ(limits.version, 2);
  EXPECT_EQ(limits.memory, 2147483648);
  EXPECT_DOUBLE_EQ(*limits.cpus, 1.5);
}

TEST_F(Cgroup, VersionTwoWithoutLimits) {
  Put("/proc/self/cgroup", "0::/");
  Put("/sys/fs/cgroup/cgroup.controllers", "cpu memory");
  Put("/sys/fs/cgroup/memory.max", "max");
  Put("/sys/fs/cgroup/cpu.max", "max 100000");
  const CgroupLimits limits = ReadCgroup(root_);
  EXPECT_FALSE(limits.memory);
  EXPECT_FALSE(limits.cpus);
}

TEST_F(Cgroup, TheTightestGroupAboveCounts) {
  Put("/proc/self/cgroup", "0::/pods/pod1/container");
  Put("/sys/fs/cgroup/cgroup.controllers", "cpu memory");
  Put("/sys/fs/cgroup/pods/pod1/memory.max", "1000");
  Put("/sys/fs/cgroup/pods/pod1/container/memory.max", "5000");
  Put("/sys/fs/cgroup/pods/pod1/container/cpu.max", "50000 100000");
  const CgroupLimits limits = ReadCgroup(root_);
  EXPECT_EQ(limits.memory, 1000);
  EXPECT_DOUBLE_EQ(*limits.cpus, 0.5);
}

TEST_F(Cgroup, ReadsVersionOneWithAHostPathThatIsNotMounted) {
  Put("/proc/self/cgroup", "5:memory:/docker/abc\n4:cpu,cpuacct:/docker/abc");
  Put("/sys/fs/cgroup/memory/memory.limit_in_bytes", "1048576");
  Put("/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "200000");
  Put("/sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000");
  const CgroupLimits limits = ReadCgroup(root_);
  EXPECT_EQ(limits.version, 1);
  EXPECT_EQ(limits.memory, 1048576);
  EXPECT_DOUBLE_EQ(*limits.cpus, 2);
}

TEST_F(Cgroup, VersionOneWritesNoLimitAsAHugeNumberAndMinusOne) {
  Put("/sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712");
  Put("/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "-1");
  Put("/sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000");
  const CgroupLimits limits = ReadCgroup(root_);
  EXPECT_FALSE(limits.memory);
  EXPECT_FALSE(limits.cpus);
}

TEST_F(Cgroup, GarbageIsNoLimit) {
  Put("/proc/self/cgroup", "nonsense");
  Put("/sys/fs/cgroup/cgroup.controllers", "");
  Put("/sys/fs/cgroup/memory.max", "a lot");
  Put("/sys/fs/cgroup/cpu.max", "");
  const CgroupLimits limits = ReadCgroup(root_);
  EXPECT_FALSE(limits.memory);
  EXPECT_FALSE(limits.cpus);
}

TEST(Threads, TheUserDecides) { EXPECT_EQ(ChooseThreads("3", 8, 1.0).count, 3); }

TEST(Threads, OfAListTheFirst) { EXPECT_EQ(ChooseThreads("4,2", 8, std::nullopt).count, 4); }

TEST(Threads, GarbageIsNotADecision) {
  EXPECT_EQ(ChooseThreads("many", 8, std::nullopt).count, 8);
  EXPECT_EQ(ChooseThreads("0", 8, std::nullopt).count, 8);
  EXPECT_EQ(ChooseThreads("-2", 8, std::nullopt).count, 8);
}

TEST(Threads, AQuotaIsRoundedUp) {
  const Threads threads = ChooseThreads("", 8, 1.5);
  EXPECT_EQ(threads.count, 2);
  EXPECT_EQ(threads.reason, "cpu limit of 1.5");
}

TEST(Threads, AQuotaAboveTheProcessorsDoesNotCount) {
  EXPECT_EQ(ChooseThreads("", 2, 16.0).count, 2);
}

}  // namespace
}  // namespace torchsoak::runner
