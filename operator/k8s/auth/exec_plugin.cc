#include "operator/k8s/auth/exec_plugin.h"

#include <algorithm>

#include "operator/k8s/auth/token_file.h"
#include "operator/k8s/meta.h"

namespace torchsoak::k8s {
namespace {

constexpr std::chrono::seconds kLeeway{10};
constexpr std::size_t kMostErrorText = 300;

// What the plugin wrote to standard error, as one short line.
std::string OneLine(std::string text) {
  if (text.size() > kMostErrorText) text.resize(kMostErrorText);
  std::replace_if(
      text.begin(), text.end(), [](unsigned char c) { return c < 0x20 || c == 0x7F; }, ' ');
  return text;
}

Json ExecInfo(const ExecSpec& spec) {
  Json info = {{"apiVersion", spec.api_version},
               {"kind", "ExecCredential"},
               {"spec", {{"interactive", false}}}};
  if (!spec.cluster.is_null()) info["spec"]["cluster"] = spec.cluster;
  return info;
}

void SetVariable(std::vector<std::string>& environment, const std::string& name,
                 const std::string& value) {
  const std::string prefix = name + "=";
  std::erase_if(environment, [&](const auto& entry) { return entry.starts_with(prefix); });
  environment.push_back(prefix + value);
}

}  // namespace

Expected<ExecCredential> ParseExecCredential(const std::string& output,
                                             const std::string& api_version) {
  const auto json = ParseJson(output);
  // The output may hold a token: it is not shown.
  if (!json) return Fail(ErrorCode::kInvalid, "the plugin's output is not JSON");
  if (GetString(*json, {"kind"}) != "ExecCredential" ||
      GetString(*json, {"apiVersion"}) != api_version) {
    return Fail(ErrorCode::kInvalid,
                "the plugin did not answer with an ExecCredential of " + api_version);
  }
  ExecCredential out;
  out.token = GetString(*json, {"status", "token"});
  out.certificate_pem = GetString(*json, {"status", "clientCertificateData"});
  out.key_pem = GetString(*json, {"status", "clientKeyData"});
  if (out.certificate_pem.empty() != out.key_pem.empty()) {
    return Fail(ErrorCode::kInvalid, "the plugin gave only one of client certificate and key");
  }
  if (out.token.empty() && out.certificate_pem.empty()) {
    return Fail(ErrorCode::kInvalid, "the plugin gave neither a token nor a client certificate");
  }
  const std::string expires = GetString(*json, {"status", "expirationTimestamp"});
  out.expires = ParseTime(expires);
  if (!expires.empty() && !out.expires) {
    return Fail(ErrorCode::kInvalid, "the plugin's expirationTimestamp is not an RFC 3339 time");
  }
  return out;
}

ExecPlugin::ExecPlugin(ExecSpec spec, Environment environment, Clock& clock, Run run)
    : spec_(std::move(spec)),
      environment_(std::move(environment)),
      clock_(clock),
      run_(std::move(run)) {}

bool ExecPlugin::FreshLocked() const {
  if (!credential_) return false;
  return !credential_->expires || clock_.Wall() + kLeeway < *credential_->expires;
}

Expected<ExecCredential> ExecPlugin::Ask(std::stop_token stop) const {
  ProcessSpec process;
  process.argv.push_back(spec_.command);
  process.argv.insert(process.argv.end(), spec_.args.begin(), spec_.args.end());
  process.environment = environment_.all();
  for (const auto& [name, value] : spec_.env) SetVariable(process.environment, name, value);
  SetVariable(process.environment, "KUBERNETES_EXEC_INFO", DumpJson(ExecInfo(spec_)));

  const std::string context = "credential plugin " + spec_.command;
  const auto result = run_(process, stop);
  if (!result) {
    Error error = result.error();
    if (error.code == ErrorCode::kNotFound && !spec_.install_hint.empty()) {
      error.message += "; " + OneLine(spec_.install_hint);
    }
    return Wrap(context, error);
  }
  if (result->exit_code != 0) {
    return Fail(ErrorCode::kForbidden, context + ": exit code " +
                                           std::to_string(result->exit_code) + ": " +
                                           OneLine(result->errors));
  }
  auto credential = ParseExecCredential(result->output, spec_.api_version);
  if (!credential) return Wrap(context, credential.error());
  return credential;
}

Expected<ExecCredential> ExecPlugin::Current(std::stop_token stop) {
  std::unique_lock lock(mutex_);
  if (!done_.wait(lock, stop, [this] { return FreshLocked() || !running_; })) {
    return Fail(ErrorCode::kCancelled, "credential plugin " + spec_.command + ": stopped");
  }
  if (FreshLocked()) return *credential_;
  running_ = true;
  lock.unlock();
  auto credential = Ask(stop);
  lock.lock();
  running_ = false;
  if (credential) {
    credential_ = *credential;
    got_at_ = clock_.Boot();
  }
  done_.notify_all();
  return credential;
}

Expected<http::Headers> ExecPlugin::Get(std::stop_token stop) {
  const auto credential = Current(std::move(stop));
  if (!credential) return tl::unexpected(credential.error());
  if (credential->token.empty()) return http::Headers{};
  const auto header = BearerHeader(credential->token, "credential plugin " + spec_.command);
  if (!header) return tl::unexpected(header.error());
  return http::Headers{{"authorization", *header}};
}

bool ExecPlugin::Reject(BootTime request_start) {
  const std::lock_guard lock(mutex_);
  if (got_at_ <= request_start) credential_.reset();
  return true;
}

}  // namespace torchsoak::k8s
