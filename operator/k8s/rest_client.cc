#include "operator/k8s/rest_client.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "common/base/backoff.h"
#include "common/base/version.h"
#include "operator/k8s/api_error.h"
#include "operator/k8s/meta.h"
#include "operator/k8s/rest_requests.h"

namespace torchsoak::k8s {
namespace {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;

constexpr std::size_t kLargestJson = 65U << 20U;  // above the transport's limit
constexpr std::size_t kMostWarnings = 1000;
constexpr milliseconds kFirstDelay{200};
constexpr milliseconds kLongestDelay{5'000};

const std::string& HeaderOf(const http::Response& response, const std::string& name) {
  static const std::string kNone;
  const auto found = response.headers.find(name);
  return found == response.headers.end() ? kNone : found->second;
}

bool IsSuccess(const http::Response& response) {
  return response.status >= 200 && response.status < 300;
}

}  // namespace

/// One call of the interface, whatever number of requests it takes.
struct RestClient::Operation {
  std::string_view verb;
  bool is_write = false;
  std::string what;  ///< "creating Job a/b", for messages
  http::Request request;
  milliseconds deadline{};
  const http::Sink* sink = nullptr;  ///< set: a stream
};

/// What to do about an attempt that did not succeed.
struct RestClient::Verdict {
  Error error;
  bool repeat = false;
  milliseconds at_least{0};  ///< the server's wish
};

RestClient::RestClient(http::Transport& transport, Credentials& credentials, Clock& clock,
                       RestOptions options)
    : transport_(transport), credentials_(credentials), clock_(clock), options_([&] {
        if (options.user_agent.empty()) options.user_agent = std::string("torchsoak/") + kVersion;
        if (!options.random) options.random = [] { return 0.0; };
        return std::move(options);
      }()) {}

void RestClient::TellWarnings(const http::Response& response) {
  const std::string& header = HeaderOf(response, "warning");
  if (header.empty() || !options_.on_warning) return;
  for (const auto& text : ParseWarnings(header)) {
    {
      const std::lock_guard lock(warnings_mutex_);
      if (warnings_.size() >= kMostWarnings || !warnings_.insert(text).second) continue;
    }
    options_.on_warning(text);
  }
}

Expected<http::Response> RestClient::Attempt(const Operation& operation, nanoseconds left,
                                             std::stop_token stop) {
  http::Request request = operation.request;
  const auto headers = credentials_.Get(stop);
  if (!headers) {
    // Not the reader's own code: a missing token file is not a missing object.
    const bool stopped = headers.error().code == ErrorCode::kCancelled;
    return Fail(stopped ? ErrorCode::kCancelled : ErrorCode::kForbidden,
                operation.what + ": " + headers.error().message);
  }
  request.headers.insert(headers->begin(), headers->end());
  request.headers["user-agent"] = options_.user_agent;
  const BootTime start = clock_.Boot();
  // Rounded up: a transport that is given 0 ms can only fail.
  const auto within = std::chrono::ceil<milliseconds>(left);
  auto response = operation.sink == nullptr
                      ? transport_.Send(request, within, stop)
                      : transport_.Stream(request, options_.stream, *operation.sink, stop);
  if (options_.on_request) {
    options_.on_request(operation.verb, response ? response->status : 0, clock_.Boot() - start);
  }
  if (response) TellWarnings(*response);
  return response;
}

RestClient::Verdict RestClient::Judge(const Operation& operation,
                                      const Expected<http::Response>& response) {
  if (!response) {
    // A time-out that leaves time is a connection that fell silent. A stream may have delivered
    // something: who reads it knows where to go on.
    const ErrorCode code = response.error().code;
    const bool lost = code == ErrorCode::kUnavailable || code == ErrorCode::kTimeout;
    const bool repeat = lost && !operation.is_write && operation.sink == nullptr;
    return {Wrap(operation.what, response.error()).value(), repeat};
  }
  const ApiError error =
      ParseApiError(response->status, response->body, HeaderOf(*response, "retry-after"));
  Verdict verdict{ToError(error, operation.is_write, operation.what)};
  verdict.at_least = error.retry_after.value_or(std::chrono::seconds(0));
  const bool busy = response->status == 429 || response->status >= 500;
  const bool plain_read = !operation.is_write && operation.sink == nullptr;
  verdict.repeat = NotExecuted(error) || (plain_read && busy);
  return verdict;
}

Expected<http::Response> RestClient::Perform(const Operation& operation, std::stop_token stop) {
  const BootTime end = clock_.Boot() + operation.deadline;
  Backoff backoff(kFirstDelay, kLongestDelay, options_.random);
  bool renewed = false;
  for (int attempt = 1;; ++attempt) {
    const BootTime start = clock_.Boot();
    auto response = Attempt(operation, end - start, stop);
    if (response && IsSuccess(*response)) return response;
    const bool again = !renewed && response && response->status == 401 && clock_.Boot() < end;
    if (again && credentials_.Reject(start)) {
      renewed = true;
      continue;
    }
    Verdict verdict = Judge(operation, response);
    // Jitter on top of the server's wish: it told the same to everybody.
    const nanoseconds delay = verdict.at_least + backoff.Next();
    if (!verdict.repeat || attempt >= options_.tries || clock_.Boot() + delay >= end) {
      return tl::unexpected(std::move(verdict.error));
    }
    if (!clock_.Sleep(delay, stop)) {
      return Fail(ErrorCode::kCancelled, operation.what + ": stopped");
    }
  }
}

Expected<Json> RestClient::PerformJson(const Operation& operation, std::stop_token stop) {
  const auto response = Perform(operation, std::move(stop));
  if (!response) return tl::unexpected(response.error());
  auto json = ParseJson(response->body, kLargestJson);
  if (json && json->is_object()) return json;
  // It did happen: a write's caller must look again rather than believe in a failure.
  return Fail(operation.is_write ? ErrorCode::kUnknown : ErrorCode::kDataLoss,
              operation.what + ": the server's answer is not a JSON object");
}

Expected<Json> RestClient::Get(const ResourceType& type, const ObjectKey& key,
                               std::stop_token stop) {
  if (const auto ok = CheckKey(key); !ok) return tl::unexpected(ok.error());
  Operation operation{"get", false, "reading " + type.kind + " " + key.ToString()};
  operation.request.target = ResourceTarget(type, key);
  operation.request.headers["accept"] = "application/json";
  operation.deadline = options_.deadline;
  return PerformJson(operation, std::move(stop));
}

Expected<ListPage> RestClient::List(const ResourceType& type, const std::string& ns,
                                    const ListOptions& options, std::stop_token stop) {
  Operation operation{"list", false, "listing " + type.plural + (ns.empty() ? "" : " in " + ns)};
  operation.request.target = ResourceTarget(type, {ns, ""}, "", ListQuery(options));
  operation.request.headers["accept"] = "application/json";
  operation.deadline = options_.list_deadline;
  auto json = PerformJson(operation, std::move(stop));
  if (!json) return tl::unexpected(json.error());
  ListPage page;
  page.version = VersionOf(*json);
  page.next = GetString(*json, {"metadata", "continue"});
  const auto items = json->find("items");
  if (items == json->end() || items->is_null()) return page;
  if (!items->is_array()) {
    return Fail(ErrorCode::kDataLoss, operation.what + ": the answer is not a list");
  }
  page.items.reserve(items->size());
  for (auto& item : *items) {
    if (!item.is_object()) {
      return Fail(ErrorCode::kDataLoss, operation.what + ": an item is not an object");
    }
    item.emplace("apiVersion", type.ApiVersion());
    item.emplace("kind", type.kind);
    page.items.push_back(std::move(item));
  }
  return page;
}

Expected<Json> RestClient::Write(const Operation& operation, const Json& body,
                                 std::string_view content_type, std::stop_token stop) {
  Operation write = operation;
  write.is_write = true;
  write.deadline = options_.deadline;
  write.request.headers["accept"] = "application/json";
  write.request.body = DumpJson(body);
  write.request.content_type = content_type;
  return PerformJson(write, std::move(stop));
}

Expected<Json> RestClient::Create(const ResourceType& type, const std::string& ns,
                                  const Json& object, std::stop_token stop) {
  const ObjectKey key{ns, GetString(object, {"metadata", "name"})};
  Operation operation{"create", true, "creating " + type.kind + " " + key.ToString()};
  operation.request.method = "POST";
  operation.request.target = ResourceTarget(type, {ns, ""}, "", WriteQuery(options_.strict));
  return Write(operation, object, "application/json", std::move(stop));
}

Expected<Json> RestClient::Update(const ResourceType& type, const ObjectKey& key,
                                  const Json& object, std::stop_token stop) {
  if (const auto ok = CheckKey(key); !ok) return tl::unexpected(ok.error());
  Operation operation{"update", true, "updating " + type.kind + " " + key.ToString()};
  operation.request.method = "PUT";
  operation.request.target = ResourceTarget(type, key, "", WriteQuery(options_.strict));
  return Write(operation, object, "application/json", std::move(stop));
}

Expected<Json> RestClient::ApplyStatus(const ResourceType& type, const ObjectKey& key,
                                       const Json& patch, std::stop_token stop) {
  if (const auto ok = CheckKey(key); !ok) return tl::unexpected(ok.error());
  Operation operation{"apply", true, "applying the status of " + type.kind + " " + key.ToString()};
  if (UidOf(patch).empty() || VersionOf(patch).empty()) {
    return Fail(ErrorCode::kInvalid,
                operation.what + ": metadata.uid and metadata.resourceVersion are required");
  }
  http::Query query = WriteQuery(options_.strict);
  query.emplace_back("force", "true");
  operation.request.method = "PATCH";
  operation.request.target = ResourceTarget(type, key, "status", query);
  return Write(operation, patch, "application/apply-patch+yaml", std::move(stop));
}

Expected<Json> RestClient::MergePatch(const ResourceType& type, const ObjectKey& key,
                                      const Json& patch, std::stop_token stop) {
  if (const auto ok = CheckKey(key); !ok) return tl::unexpected(ok.error());
  Operation operation{"patch", true, "patching " + type.kind + " " + key.ToString()};
  operation.request.method = "PATCH";
  operation.request.target = ResourceTarget(type, key, "", WriteQuery(options_.strict));
  return Write(operation, patch, "application/merge-patch+json", std::move(stop));
}

Status RestClient::Delete(const ResourceType& type, const ObjectKey& key,
                          const DeleteOptions& options, std::stop_token stop) {
  if (const auto ok = CheckKey(key); !ok) return ok;
  Operation operation{"delete", true, "deleting " + type.kind + " " + key.ToString()};
  if (options.uid.empty()) {
    return Fail(ErrorCode::kInvalid, operation.what + ": the UID is required");
  }
  operation.request.method = "DELETE";
  operation.request.target = ResourceTarget(type, key);
  const auto deleted = Write(operation, DeleteBody(options), "application/json", stop);
  if (deleted || deleted.error().code == ErrorCode::kNotFound) return {};
  if (deleted.error().code != ErrorCode::kConflict) return tl::unexpected(deleted.error());
  // The precondition and other conflicts have the same reason; the object tells them apart.
  const auto now = Get(type, key, std::move(stop));
  if (now ? UidOf(*now) != options.uid : now.error().code == ErrorCode::kNotFound) return {};
  return tl::unexpected(deleted.error());
}

Status RestClient::ReadLog(const ObjectKey& pod, const LogOptions& options,
                           const std::function<bool(std::string_view)>& sink,
                           std::stop_token stop) {
  if (const auto ok = CheckKey(pod); !ok) return ok;
  Operation operation{"log", false, "reading the log of pod " + pod.ToString()};
  operation.request.target =
      ResourceTarget({"", "v1", "pods", "Pod"}, pod, "log", LogQuery(options));
  operation.request.headers["accept"] = "*/*";
  operation.deadline = options_.deadline;
  operation.sink = &sink;
  const auto response = Perform(operation, std::move(stop));
  if (!response) return tl::unexpected(response.error());
  return {};
}

Status RestClient::Watch(const ResourceType& type, const std::string& ns,
                         const ListOptions& options, const ResourceVersion& version,
                         int timeout_seconds, const std::function<bool(std::string_view)>& sink,
                         std::stop_token stop) {
  Operation operation{"watch", false, "watching " + type.plural + (ns.empty() ? "" : " in " + ns)};
  operation.request.target =
      ResourceTarget(type, {ns, ""}, "", WatchQuery(options, version, timeout_seconds));
  operation.request.headers["accept"] = "application/json";
  operation.deadline = options_.deadline;
  operation.sink = &sink;
  const auto response = Perform(operation, std::move(stop));
  if (!response) return tl::unexpected(response.error());
  return {};
}

}  // namespace torchsoak::k8s
