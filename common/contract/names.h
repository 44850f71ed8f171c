#pragma once
// Names that both binaries, the chart and users' tools rely on. Changing one breaks somebody.

#include <string_view>

namespace torchsoak::contract {

inline constexpr std::string_view kGroup = "torchsoak.dev";
inline constexpr std::string_view kVersionName = "v1alpha1";
inline constexpr std::string_view kKind = "StressTest";
inline constexpr std::string_view kPlural = "stresstests";

inline constexpr std::string_view kLabelTest = "torchsoak.dev/stresstest";
inline constexpr std::string_view kLabelUid = "torchsoak.dev/stresstest-uid";
inline constexpr std::string_view kLabelRun = "torchsoak.dev/run";
inline constexpr std::string_view kLabelAttempt = "torchsoak.dev/attempt";
inline constexpr std::string_view kLabelName = "app.kubernetes.io/name";
inline constexpr std::string_view kLabelManagedBy = "app.kubernetes.io/managed-by";
inline constexpr std::string_view kManagedBy = "torchsoak";
inline constexpr std::string_view kRunnerName = "torchsoak-runner";
inline constexpr std::string_view kAnnotationRevision = "torchsoak.dev/source-revision";

inline constexpr std::string_view kEnvRun = "TORCHSOAK_RUN";
inline constexpr std::string_view kEnvPod = "TORCHSOAK_POD";
inline constexpr std::string_view kEnvPodUid = "TORCHSOAK_POD_UID";
inline constexpr std::string_view kEnvNode = "TORCHSOAK_NODE";
inline constexpr std::string_view kEnvImage = "TORCHSOAK_IMAGE";
inline constexpr std::string_view kContainer = "runner";
inline constexpr std::string_view kTerminationLog = "/dev/termination-log";
inline constexpr std::string_view kReportKey = "report.json.gz";
inline constexpr std::string_view kNodesKey = "nodes.json.gz";

inline constexpr int kGraceSeconds = 30;

}  // namespace torchsoak::contract
