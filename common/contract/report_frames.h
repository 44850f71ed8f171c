#pragma once
// The report document on its way through the pod's log.
//
//   @ts-report <i>/<n> <crc32 in 8 hex digits> <base64, at most 8000 characters>
//
// gzip of at most 600 KiB, which unpacks to at most 16 MiB. Frames stand at the end of the log.

#include <string>
#include <string_view>
#include <vector>

#include "common/base/error.h"
#include "common/contract/result.h"

namespace torchsoak::contract {

inline constexpr std::string_view kFramePrefix = "@ts-report ";
inline constexpr std::size_t kMaxReportGzip = 600U << 10U;
inline constexpr std::size_t kMaxReportJson = 16U << 20U;

struct FramedReport {
  std::vector<std::string> lines;  ///< without the newline
  ReportRef ref;
};

/// kTooLarge when the gzip is over its limit: the caller leaves detail out and tries again.
Expected<FramedReport> FrameReport(std::string_view json);

/// The gzip again, from the frame lines in any order and with other lines between them. kDataLoss
/// names the first missing or damaged frame, or says that size or sha256 differ from `expected`.
Expected<std::string> UnframeReport(const std::vector<std::string>& lines,
                                    const ReportRef& expected);

}  // namespace torchsoak::contract
