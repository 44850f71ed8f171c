#pragma once
// The Client (client.h) on an HTTP Transport: requests, credentials, repeats and errors.

#include <chrono>
#include <functional>
#include <mutex>
#include <set>
#include <string>
#include <string_view>

#include "common/base/clock.h"
#include "operator/http/transport.h"
#include "operator/k8s/auth/credentials.h"
#include "operator/k8s/client.h"

namespace torchsoak::k8s {

struct RestOptions {
  /// "" = "torchsoak/<version>". Audit logs and API Priority and Fairness match on it.
  std::string user_agent;

  std::chrono::milliseconds deadline{30'000};       ///< one call with all its repeats
  std::chrono::milliseconds list_deadline{60'000};  ///< one page of a list
  http::StreamLimits stream;                        ///< watches and logs
  int tries = 10;                                   ///< of one call; 1 = never repeat

  /// fieldValidation=Strict on writes: a mis-spelt field fails instead of vanishing. For tests.
  bool strict = false;

  /// Told each distinct text of the server's Warning headers once.
  std::function<void(const std::string& text)> on_warning;

  /// Told of every HTTP request: verb ("get", "list", "watch", "create", "update", "apply",
  /// "patch", "delete", "log"), status code (0: there was no answer) and how long it took (a
  /// stream: until it ended).
  std::function<void(std::string_view verb, int code, std::chrono::nanoseconds took)> on_request;

  /// In [0, 1), for jitter; thread-safe. Empty: none.
  std::function<double()> random;
};

/// Thread-safe. Keeps references to the three: they must outlive it. Hooks are called on calling
/// threads. For a leader election's own client: another transport, tries = 1, deadline 4 s.
class RestClient final : public Client {
 public:
  RestClient(http::Transport& transport, Credentials& credentials, Clock& clock,
             RestOptions options = {});

  Expected<Json> Get(const ResourceType& type, const ObjectKey& key, std::stop_token stop) override;

  /// Items of built-in lists come without apiVersion and kind: they are filled in.
  Expected<ListPage> List(const ResourceType& type, const std::string& ns,
                          const ListOptions& options, std::stop_token stop) override;

  Expected<Json> Create(const ResourceType& type, const std::string& ns, const Json& object,
                        std::stop_token stop) override;
  Expected<Json> Update(const ResourceType& type, const ObjectKey& key, const Json& object,
                        std::stop_token stop) override;

  /// kInvalid, without asking the server, for a patch without metadata.uid or resourceVersion.
  Expected<Json> ApplyStatus(const ResourceType& type, const ObjectKey& key, const Json& patch,
                             std::stop_token stop) override;

  Expected<Json> MergePatch(const ResourceType& type, const ObjectKey& key, const Json& patch,
                            std::stop_token stop) override;

  /// A 409 is looked into with a GET: gone or of another UID is success.
  Status Delete(const ResourceType& type, const ObjectKey& key, const DeleteOptions& options,
                std::stop_token stop) override;

  /// kInvalid also while the container has not started (the server says BadRequest). A log that
  /// breaks off is not taken up again.
  Status ReadLog(const ObjectKey& pod, const LogOptions& options,
                 const std::function<bool(std::string_view)>& sink, std::stop_token stop) override;

  Status Watch(const ResourceType& type, const std::string& ns, const ListOptions& options,
               const ResourceVersion& version, int timeout_seconds,
               const std::function<bool(std::string_view)>& sink, std::stop_token stop) override;

 private:
  struct Operation;
  struct Verdict;

  Expected<http::Response> Perform(const Operation& operation, std::stop_token stop);
  Expected<http::Response> Attempt(const Operation& operation, std::chrono::nanoseconds left,
                                   std::stop_token stop);
  static Verdict Judge(const Operation& operation, const Expected<http::Response>& response);
  Expected<Json> PerformJson(const Operation& operation, std::stop_token stop);
  Expected<Json> Write(const Operation& operation, const Json& body, std::string_view content_type,
                       std::stop_token stop);
  void TellWarnings(const http::Response& response);

  http::Transport& transport_;
  Credentials& credentials_;
  Clock& clock_;
  const RestOptions options_;
  std::mutex warnings_mutex_;
  std::set<std::string> warnings_;  // guarded by warnings_mutex_
};

}  // namespace torchsoak::k8s
