#pragma once
// A Transport that answers from a list and remembers what it was asked.

#include <deque>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "operator/http/transport.h"

namespace torchsoak::k8s {

/// For tests with one thread.
class ScriptedTransport final : public http::Transport {
 public:
  using Answer = Expected<http::Response>;

  void Add(int status, std::string body, http::Headers headers = {}) {
    answers_.push_back(http::Response{status, std::move(headers), std::move(body)});
  }
  void AddError(ErrorCode code) { answers_.push_back(Fail(code, "scripted")); }

  /// Called before each answer.
  std::function<void()> on_request = [] {};

  Expected<http::Response> Send(const http::Request& request, std::chrono::milliseconds deadline,
                                std::stop_token) override {
    deadlines.push_back(deadline);
    return Next(request);
  }

  /// A 200's body goes to the sink.
  Expected<http::Response> Stream(const http::Request& request, const http::StreamLimits&,
                                  const http::Sink& sink, std::stop_token) override {
    Answer answer = Next(request);
    if (answer && answer->status == 200) {
      if (!sink(answer->body)) return Fail(ErrorCode::kCancelled, "ended by the reader");
      answer->body.clear();
    }
    return answer;
  }

  std::vector<http::Request> requests;
  std::vector<std::chrono::milliseconds> deadlines;
  bool done() const { return answers_.empty(); }

 private:
  Answer Next(const http::Request& request) {
    on_request();
    requests.push_back(request);
    if (answers_.empty()) return Fail(ErrorCode::kInternal, "the script is over");
    Answer answer = std::move(answers_.front());
    answers_.pop_front();
    return answer;
  }

  std::deque<Answer> answers_;
};

}  // namespace torchsoak::k8s
