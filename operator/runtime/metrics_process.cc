#include "operator/runtime/metrics_process.h"

#include <sys/resource.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <system_error>

namespace torchsoak::runtime {
namespace {

double CountOpenFiles() {
  std::error_code error;
  std::filesystem::directory_iterator entries("/proc/self/fd", error);
  if (error) return 0;
  double count = 0;
  for (const auto end = std::filesystem::directory_iterator(); entries != end;
       entries.increment(error)) {
    if (error) break;
    ++count;
  }
  return count - 1;  // the directory itself was open
}

double Seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
}

}  // namespace

ProcessFigures ReadProcessFigures() {
  ProcessFigures figures;
  std::ifstream status("/proc/self/status");
  std::string line;
  while (std::getline(status, line)) {
    std::istringstream words(line);
    std::string name;
    double value = 0;
    if (!(words >> name >> value)) continue;
    if (name == "VmRSS:") figures.resident_bytes = value * 1024;
    if (name == "VmSize:") figures.virtual_bytes = value * 1024;
    if (name == "Threads:") figures.threads = value;
  }
  figures.open_files = CountOpenFiles();
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
    figures.max_files = static_cast<double>(limit.rlim_cur);
  }
  rusage usage{};
  if (getrusage(RUSAGE_SELF, &usage) == 0) {
    figures.cpu_seconds = Seconds(usage.ru_utime) + Seconds(usage.ru_stime);
  }
  return figures;
}

}  // namespace torchsoak::runtime
