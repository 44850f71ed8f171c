#include "runner/app/files.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>

#include "common/base/bytes.h"
#include "common/base/json.h"
#include "common/contract/report_frames.h"
#include "runner/report/html.h"
#include "runner/report/junit.h"
#include "runner/report/output.h"

namespace torchsoak::runner {

Expected<std::string> ReadFile(const std::string& path, std::size_t most) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) {
    return Fail(ErrorCode::kInvalid, path + " is a folder, not a file");
  }
  std::ifstream file(path, std::ios::binary);
  if (!file) return Fail(ErrorCode::kNotFound, "cannot read " + path);
  std::string text(most + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(file.gcount()));
  if (text.size() > most) {
    return Fail(ErrorCode::kTooLarge,
                path + " is larger than " + std::to_string(most >> 20U) + " MiB");
  }
  return text;
}

Expected<std::string> ReadReport(const std::string& bytes) {
  if (!bytes.starts_with("\x1f\x8b")) return bytes;
  return Gunzip(bytes, contract::kMaxReportJson);
}

std::string WriteReport(const std::string& folder, const std::string& json) {
  const auto document = ParseJson(json, contract::kMaxReportJson);
  std::string lines;
  const auto write = [&](const char* label, const char* name, const std::string& text) {
    const std::string path = folder + "/" + name;
    lines += WriteFile(path, text) ? label + path + "\n" : "could not write " + path + "\n";
  };
  write("report: ", "report.json", json);
  write("page:   ", "report.html", RenderHtml(json));
  write("junit:  ", "junit.xml", RenderJunit(document ? *document : Json::object()));
  return lines;
}

bool WriteFile(const std::string& path, std::string_view bytes) {
  constexpr std::chrono::seconds kPatience{10};
  const std::string temporary = path + ".part";
  const int fd = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (fd < 0) return false;
  const bool written = WriteAll(fd, bytes, kPatience);
  return (::close(fd) == 0) && written && std::rename(temporary.c_str(), path.c_str()) == 0;
}

}  // namespace torchsoak::runner
