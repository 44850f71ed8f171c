#include "runner/model/model_file.h"

#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string_view>
#include <utility>

namespace torchsoak::runner {
namespace {

using contract::ModelKind;

constexpr std::string_view kReader = "LibTorch 2.11";
constexpr std::string_view kConvert =
    "; docs/models.md has the script that turns a Python model into TorchScript or .pt2";

std::string Named(const contract::ModelSpec& spec) { return "model file " + spec.path; }

/// A part of LibTorch's words, and ours for the same.
struct Cause {
  std::string_view said;
  std::string_view meaning;
};
constexpr auto kCauses = std::to_array<Cause>({
    {"constants.pkl",
     "holds weights only (torch.save of a state_dict), no program; docs/models.md has the script "
     "that "
     "makes one of them"},
    {"failed finding central directory", "is cut short or damaged"},
    {"not a ZIP archive", "is cut short or damaged"},
    {"run_func_(", "does not take the declared inputs at this batch size (the log says which)"},
    {"Tried to access a nonexistent", "needs an operator that this runner does not have"},
    {"Unknown builtin op", "needs an operator that this runner does not have"},
    {"No such operator", "needs an operator that this runner does not have"},
});

/// The line that says what went wrong: LibTorch puts stack traces around it.
std::string Essence(const std::string& what) {
  constexpr std::string_view kRaised = "RuntimeError: ";
  const std::size_t raised = what.rfind(kRaised);
  const std::size_t begin = raised == std::string::npos ? 0 : raised + kRaised.size();
  return what.substr(begin, what.find('\n', begin) - begin);
}

std::string FirstBytes(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string bytes(4, '\0');
  file.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  bytes.resize(static_cast<std::size_t>(file.gcount()));
  return bytes;
}

/// Whether the list of members at the archive's end has this one.
bool HoldsMember(const std::string& path, std::string_view name) {
  constexpr std::streamoff kMost = 1 << 20;
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  const std::streamoff size = file.tellg();
  file.seekg(std::max<std::streamoff>(size - kMost, 0));
  const std::string end{std::istreambuf_iterator<char>(file), {}};
  return end.find(name) != std::string::npos;
}

}  // namespace

void CheckModelFile(const contract::ModelSpec& spec) {
  struct stat facts {};
  if (::stat(spec.path.c_str(), &facts) != 0) {
    throw ModelFileError(Named(spec) + ": " + std::strerror(errno) +
                         "; is it on a volume of spec.pod.volumes, mounted in volumeMounts?");
  }
  if (!S_ISREG(facts.st_mode)) throw ModelFileError(Named(spec) + " is not a file");
  if (facts.st_size == 0) throw ModelFileError(Named(spec) + " is empty");
  std::ifstream readable(spec.path);
  if (!readable) {
    throw ModelFileError(Named(spec) + ": " + std::strerror(errno) +
                         "; the runner is user 65532, and the file must be readable by all");
  }
  const std::string bytes = FirstBytes(spec.path);
  if (bytes.substr(0, 2) == "PK") return;  // both formats are zip archives
  if (!bytes.empty() && bytes[0] == '\x80') {
    throw ModelFileError(Named(spec) + " is a Python pickle, which LibTorch cannot read" +
                         std::string(kConvert));
  }
  throw ModelFileError(Named(spec) + " is no archive as torch.jit.save or AOTInductor write it" +
                       std::string(kConvert));
}

std::string DescribeModelProblem(const contract::ModelSpec& spec, const std::string& what) {
  std::string text = Named(spec);
  if (spec.kind == ModelKind::kTorchScript && HoldsMember(spec.path, "/archive_format")) {
    return text + " is a .pt2: name it under aotInductor instead of torchScript";
  }
  if (spec.kind == ModelKind::kAotInductor && HoldsMember(spec.path, "/constants.pkl")) {
    return text + " is TorchScript: name it under torchScript instead of aotInductor";
  }
  for (const Cause& cause : kCauses) {
    if (what.find(cause.said) == std::string::npos) continue;
    text += " " + std::string(cause.meaning);
    break;
  }
  return text + ": " + Essence(what) + " (read by " + std::string(kReader) + " as " +
         std::string(contract::ToString(spec.kind)) + ")";
}

}  // namespace torchsoak::runner
