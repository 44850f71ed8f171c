#include "operator/k8s/auth/exec_process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

namespace torchsoak::k8s {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kMostErrors = 4096;
// How often a stop and an exit that leaves the pipes open are noticed.
constexpr int kPollMs = 50;

class Descriptor {
 public:
  explicit Descriptor(int fd = -1) : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~Descriptor() { Close(); }
  int get() const { return fd_; }
  void Close() {
    if (fd_ >= 0) close(std::exchange(fd_, -1));
  }

 private:
  int fd_;
};

struct Pipe {
  Descriptor read;
  Descriptor write;
};

tl::unexpected<Error> Failed(const std::string& what, int error) {
  const ErrorCode code = error == ENOENT ? ErrorCode::kNotFound : ErrorCode::kUnavailable;
  return Fail(code, what + ": " + std::strerror(error));
}

Expected<Pipe> MakePipe() {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) return Failed("making a pipe", errno);
  return Pipe{Descriptor(ends[0]), Descriptor(ends[1])};
}

std::vector<char*> Pointers(const std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  pointers.reserve(texts.size() + 1);
  // posix_spawn takes them as non-const for history's sake and changes nothing.
  for (const auto& text : texts) pointers.push_back(const_cast<char*>(text.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

int Spawn(const ProcessSpec& spec, int out, int err, pid_t& pid) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, err, STDERR_FILENO);
  // The HTTP library opens its sockets without CLOEXEC.
  posix_spawn_file_actions_addclosefrom_np(&actions, STDERR_FILENO + 1);

  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t none;
  sigset_t all;
  sigemptyset(&none);
  sigfillset(&all);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &all);
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setflags(&attributes,
                           POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);

  const auto argv = Pointers(spec.argv);
  const auto environment = Pointers(spec.environment);
  const int error =
      posix_spawnp(&pid, argv[0], &actions, &attributes, argv.data(), environment.data());
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  return error;
}

/// The running child: killed with its group and waited for, whatever happens.
class Child {
 public:
  explicit Child(pid_t pid) : pid_(pid) {}
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child() {
    kill(-pid_, SIGKILL);
    while (!over_ && waitpid(pid_, &status_, 0) < 0 && errno == EINTR) {
    }
  }

  bool Over() {
    if (!over_) over_ = waitpid(pid_, &status_, WNOHANG) == pid_;
    return over_;
  }

  int exit_code() const {
    return WIFEXITED(status_) ? WEXITSTATUS(status_) : 128 + WTERMSIG(status_);
  }

 private:
  const pid_t pid_;
  int status_ = 0;
  bool over_ = false;
};

/// Appends what is there to read; closes the descriptor at its end. False: nothing was read.
bool ReadSome(Descriptor& from, std::string& to) {
  std::array<char, 16384> buffer{};
  const ssize_t got = read(from.get(), buffer.data(), buffer.size());
  if (got > 0) to.append(buffer.data(), static_cast<std::size_t>(got));
  if (got == 0 || (got < 0 && errno != EINTR && errno != EAGAIN)) from.Close();
  return got > 0;
}

Status ReadAll(const ProcessSpec& spec, Child& child, Descriptor& out, Descriptor& err,
               const std::stop_token& stop, ProcessResult& result) {
  const auto deadline = Clock::now() + spec.limit;
  while (true) {
    const bool over = child.Over();
    std::array<pollfd, 2> ready{pollfd{out.get(), POLLIN, 0}, pollfd{err.get(), POLLIN, 0}};
    const int count = poll(ready.data(), ready.size(), over ? 0 : kPollMs);
    bool progress = false;
    if (count > 0 && ready[0].revents != 0) progress = ReadSome(out, result.output) || progress;
    if (count > 0 && ready[1].revents != 0) progress = ReadSome(err, result.errors) || progress;
    if (result.output.size() > spec.largest_output) {
      return Fail(ErrorCode::kTooLarge, spec.argv[0] + ": too much output");
    }
    if (result.errors.size() > kMostErrors) result.errors.resize(kMostErrors);
    if (over && !progress) return {};
    if (stop.stop_requested()) return Fail(ErrorCode::kCancelled, spec.argv[0] + ": stopped");
    if (Clock::now() > deadline) {
      return Fail(ErrorCode::kTimeout, spec.argv[0] + ": not finished within " +
                                           std::to_string(spec.limit.count()) + " ms");
    }
  }
}

}  // namespace

Expected<ProcessResult> RunProcess(const ProcessSpec& spec, std::stop_token stop) {
  if (spec.argv.empty() || spec.argv[0].empty()) {
    return Fail(ErrorCode::kInvalid, "there is no program to run");
  }
  auto out = MakePipe();
  if (!out) return tl::unexpected(out.error());
  auto err = MakePipe();
  if (!err) return tl::unexpected(err.error());
  pid_t pid = 0;
  const int error = Spawn(spec, out->write.get(), err->write.get(), pid);
  if (error != 0) return Failed("starting " + spec.argv[0], error);
  Child child(pid);
  out->write.Close();
  err->write.Close();
  ProcessResult result;
  const auto ok = ReadAll(spec, child, out->read, err->read, stop, result);
  if (!ok) return tl::unexpected(ok.error());
  result.exit_code = child.exit_code();
  return result;
}

}  // namespace torchsoak::k8s
