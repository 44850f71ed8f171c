#pragma once
// Credentials from a program of the user's (client.authentication.k8s.io/v1, cloud log-ins). For
// development outside a cluster; in a cluster the token comes from a file.

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/base/json.h"
#include "operator/k8s/auth/credentials.h"
#include "operator/k8s/auth/environment.h"
#include "operator/k8s/auth/exec_process.h"

namespace torchsoak::k8s {

struct ExecSpec {
  std::string api_version;  ///< client.authentication.k8s.io/v1 or /v1beta1
  std::string command;      ///< absolute, or a name to look up in PATH
  std::vector<std::string> args;
  std::vector<std::pair<std::string, std::string>> env;  ///< added to ours
  std::string install_hint;                              ///< shown when the command is missing
  Json cluster;  ///< spec.cluster of KUBERNETES_EXEC_INFO; null: not asked for
};

/// What the plugin answered.
struct ExecCredential {
  std::string token;  ///< "" when it gave a certificate only
  std::string certificate_pem;
  std::string key_pem;
  std::optional<WallTime> expires;
};

/// Reads an ExecCredential. kInvalid when it is of another version, has no status, or has neither a
/// token nor a whole certificate pair.
Expected<ExecCredential> ParseExecCredential(const std::string& output,
                                             const std::string& api_version);

/// Thread-safe. One run at a time: who comes meanwhile waits for it. Never interactive.
class ExecPlugin final : public Credentials {
 public:
  using Run = std::function<Expected<ProcessResult>(const ProcessSpec&, std::stop_token)>;

  /// `clock` must outlive this. `run` is RunProcess but in tests.
  ExecPlugin(ExecSpec spec, Environment environment, Clock& clock, Run run = RunProcess);

  /// Runs the plugin when there is nothing yet, it ends within 10 s, or it was rejected.
  Expected<ExecCredential> Current(std::stop_token stop);

  Expected<http::Headers> Get(std::stop_token stop) override;
  bool Reject(BootTime request_start) override;

 private:
  Expected<ExecCredential> Ask(std::stop_token stop) const;
  bool FreshLocked() const;

  const ExecSpec spec_;
  const Environment environment_;
  Clock& clock_;
  const Run run_;
  std::mutex mutex_;  // guards all below
  std::condition_variable_any done_;
  bool running_ = false;
  std::optional<ExecCredential> credential_;
  BootTime got_at_{};
};

}  // namespace torchsoak::k8s
