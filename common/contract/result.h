#pragma once
// What a run answers: the termination message, at most 4096 bytes, in sections that each prove
// themselves.
//
//   ts1 <name> <bytes> <crc32 in 8 hex digits>\n<json of that many bytes>\n
//
// The crc32 is of "<name> <json>". Sections: core, gates, metrics, place, leaks, histogram; a
// reader lets intact ones pass that it does not know. `core` comes first and fits 1000 bytes, so
// that it survives the smallest share a kubelet gives; it says how many bytes follow it, so that a
// message cut exactly between two sections is seen as damaged. A cut or damaged section is dropped,
// never half read. The runner rewrites the whole message as a checkpoint about every 10 s, so that
// a killed run still has its last numbers.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/contract/metrics.h"
#include "common/contract/verdict.h"

namespace torchsoak::contract {

inline constexpr std::size_t kMaxMessageBytes = 4096;
inline constexpr std::size_t kMaxCoreBytes = 1000;

enum class ResultState { kCheckpoint, kFinal };

/// Where the report went: frames in the log (report_frames.h). frames == 0: no report was written.
struct ReportRef {
  std::int64_t frames = 0;
  std::int64_t bytes = 0;  ///< of the gzip
  std::string sha256;      ///< of the gzip
};

struct Core {
  std::string uid;  ///< of the StressTest
  std::int64_t run = 0;
  std::int64_t attempt = 1;
  ResultState state = ResultState::kCheckpoint;
  bool measuring = false;  ///< at least one measured step has finished
  std::int64_t steps = 0;  ///< measured steps or requests so far
  std::optional<std::int64_t>
      percent;                     ///< of what was asked to be measured; nothing without a limit
  std::optional<Outcome> outcome;  ///< set when final
  int exit = 0;                    ///< the code the process is about to exit with, when final
  ReportRef report;
  bool partial = false;  ///< ended early (SIGTERM): numbers are of the part that ran
};

enum class GateResult { kPassed, kFailed, kWarned, kNotEvaluated, kRecorded };
std::string_view ToString(GateResult result);
std::optional<GateResult> ParseGateResult(std::string_view text);

/// One thing that had to hold: a threshold of the user's (user = true) or a built-in check.
struct Gate {
  std::string name;
  GateResult result = GateResult::kNotEvaluated;
  bool user = false;
  std::string observed;  ///< "171.4ms"; "" when there is no number
  std::string limit;     ///< "<= 130ms"
  std::string message;   ///< why, when not simply passed
};

enum class LeakResult { kNone, kSuspected, kFound, kNotEnoughData };
std::string_view ToString(LeakResult result);
std::optional<LeakResult> ParseLeakResult(std::string_view text);

struct Leak {
  std::string name;  ///< signal: "LiveAllocations", or the metric whose curve was tested
  LeakResult result = LeakResult::kNotEnoughData;
  double objects_per_step = 0;
  double bytes_per_step = 0;
  std::int64_t first_step = -1;  ///< -1: none
  double per_hour = 0;           ///< growth of a curve, in its metric's unit; 0: not of this kind
};

/// Facts about where it ran that the status shows.
struct Place {
  std::vector<std::string> gpus;  ///< UUIDs
  std::string gpu_model;          ///< "" on a CPU run
  std::string libtorch;           ///< "2.11.0"
  std::string driver;             ///< "" when there is none
};

struct RunResult {
  Core core;
  Place place;
  std::vector<Gate> gates;
  std::vector<MetricValue> metrics;
  std::vector<Leak> leaks;
  std::string histogram;       ///< PackedHistogram text (histogram.h), "" = none
  std::string histogram_name;  ///< the metric it belongs to
};

/// At most `max_bytes`, whatever comes in. Sheds in a fixed order when it does not fit, each from
/// the last: histogram, leaks, metrics, place, built-in gates that did not fail, the numbers of the
/// user's gates that passed, these gates themselves, the other gates. The names of 33 passed gates
/// of 63 letters fit, so that a test with as many thresholds as the API takes can pass. core is
/// never shed, only its message is shortened. Texts are cut to 200 bytes (a gate's message) or 64
/// (the others), and an undefined number is left out. `shed` tells whether anything of that
/// happened. `max_bytes` below kMaxCoreBytes may leave no message at all.
struct EncodedResult {
  std::string message;
  bool shed = false;
};
EncodedResult EncodeResult(const RunResult& result, std::size_t max_bytes = kMaxMessageBytes);

/// What could be read of a message.
struct DecodedResult {
  std::optional<RunResult> result;  ///< nothing when core is missing or damaged
  bool damaged = false;             ///< some section was cut, damaged or unknown garbage
  bool shed = false;                ///< the runner itself left something out: see the report
  std::string problem;              ///< what was wrong, for people
};

/// Never fails: foreign bytes of any kind give an empty result that says why. Sizes, counts and
/// numbers are checked (a negative count or a non-finite value damages its section).
DecodedResult DecodeResult(std::string_view message);

}  // namespace torchsoak::contract
