// What ends a run that was scheduled: images, start and run, each by its own clock.

#include "operator/stresstest/decide.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "operator/stresstest/job_builder.h"
#include "tests/unit/operator/stresstest/world.h"

namespace torchsoak::stresstest {
namespace {

using contract::Reason;
using contract::Verdict;
using std::chrono::minutes;
using std::chrono::seconds;
using testing::HasSubstr;

TEST(StopPolicy, TellsAMissingImageFromASlowStart) {
  World world;
  world.Apply(world.Step());
  world.AddPod().Schedule("node-1").Step();
  world.pod().runner.kind = ContainerView::Kind::kWaiting;
  world.pod().runner.reason = "ImagePullBackOff";
  world.pod().runner.message = "Back-off pulling image \"nope:1\"";
  // It was pulled for long before it failed once: only the failing counts.
  EXPECT_TRUE(world.After(minutes(5)).Step().delete_jobs.empty()) << "a registry may blink";
  EXPECT_TRUE(world.After(seconds(59)).Step().delete_jobs.empty()) << "a registry may blink";
  world.pod().runner.reason = "ErrImagePull";
  world.Apply(world.After(seconds(1)).Step());
  world.observed.live = true;
  world.Step();
  EXPECT_EQ(world.status().verdict, "Error");
  EXPECT_EQ(world.status().reason, "ImagePull");
  EXPECT_THAT(world.status().message, HasSubstr("nope:1"));
}

TEST(StopPolicy, TheRegistrysMinuteBelongsToOnePod) {
  World world;
  world.Apply(world.Step());
  const auto fail = [&](const char* uid) {
    world.pod().uid = uid;
    world.pod().runner.kind = ContainerView::Kind::kWaiting;
    world.pod().runner.reason = "ErrImagePull";
  };
  world.AddPod().Schedule("node-1");
  fail("first");
  world.After(seconds(30)).Step();
  fail("second");  // the queue took the Job back for a while
  EXPECT_TRUE(world.After(minutes(5)).Step().delete_jobs.empty());
  EXPECT_TRUE(world.After(seconds(59)).Step().delete_jobs.empty());
  EXPECT_FALSE(world.After(seconds(1)).Step().delete_jobs.empty());
}

TEST(StopPolicy, EndsARunThatDoesNotStart) {
  World world;
  world.Apply(world.Step());
  world.AddPod().Schedule("node-1").Step();
  world.pod().runner.kind = ContainerView::Kind::kWaiting;
  world.pod().runner.reason = "CreateContainerConfigError";
  world.Apply(world.After(minutes(10)).Step());
  world.observed.live = true;
  world.Step();
  EXPECT_EQ(world.status().reason, "StartupTimeout");
  EXPECT_EQ(world.status().verdict, "Error");
}

TEST(StopPolicy, EndsARunThatTakesTooLongWithWhatItHas) {
  World world = Started();
  const Plan stop = world.After(minutes(60)).Step();
  ASSERT_TRUE(stop.follow_log) << "the log is followed before the pod is stopped";
  ASSERT_EQ(stop.delete_jobs.size(), 1U);
  auto result = FinalResult(Verdict::kInconclusive, Reason::kPodDeleted);
  result.core.partial = true;
  result.core.exit = 3;
  world.job().deleting = true;
  world.pod().deleting = world.observed.now + seconds(30);
  world.Exit(3, Message(result));
  world.Step();
  EXPECT_EQ(world.status().verdict, "Inconclusive");
  EXPECT_EQ(world.status().reason, "RunTimeout");
  EXPECT_FALSE(world.status().metrics.empty()) << "partial numbers are kept";
}

// The container's start is the node's word, everything else the control plane's.
TEST(StopPolicy, AClockThatIsWrongOnTheNodeNeitherShortensNorStretchesARun) {
  for (const minutes wrong : {minutes(-90), minutes(90)}) {
    World world;
    world.Apply(world.Step());
    world.AddPod().Schedule("node-1").After(minutes(10)).Run();  // ten minutes of pulling
    *world.pod().runner.started += wrong;
    world.Step();
    EXPECT_TRUE(world.After(minutes(59)).Step().delete_jobs.empty()) << wrong.count();
    EXPECT_EQ(world.After(minutes(1)).Step().delete_jobs.size(), 1U) << wrong.count();
  }
}

}  // namespace
}  // namespace torchsoak::stresstest
