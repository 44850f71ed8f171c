#pragma once
// One request in flight: where the HTTP library's threads and the calling thread meet.
//
// The library's side never blocks: it reports what happened and, when the caller is slow, is told
// to hold back until a callback. The caller's side waits with a deadline and a stop token, and can
// walk away at any moment: whatever the library reports later is dropped. Held by shared_ptr from
// both sides, so a name look-up that hangs for minutes keeps nothing else alive.

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <stop_token>
#include <string>
#include <string_view>

#include "operator/http/transport.h"

namespace torchsoak::http {

class Exchange {
 public:
  using Time = std::chrono::steady_clock::time_point;

  /// Unread body bytes above `high_water` make the library wait.
  explicit Exchange(std::size_t high_water) : high_water_(high_water) {}

  // --- The library's side: any thread, never blocks. ---

  enum class Push {
    kGoOn,    ///< taken, more is welcome
    kWait,    ///< taken; `resume` will be called once, on the caller's thread
    kClosed,  ///< nobody reads any more
  };

  /// The request's headers are on the wire: from here on the server may act on it.
  void OnSent();
  void OnHeaders(int status, Headers headers);
  Push OnBody(std::string_view piece, std::function<void()> resume);
  void OnEnd();

  /// The first one counts. `timed_out`: the library's own timer fired.
  void OnFailure(std::string message, bool timed_out);

  // --- The caller's side: one thread. ---

  enum class Event { kHeaders, kBody, kEnd, kFailed, kDeadline, kStopped };

  /// Waits for what comes next. kHeaders is told once and before any body; what had arrived is told
  /// before kEnd and kFailed. A stop wins over everything, the deadline over nothing.
  Event Wait(Time deadline, std::stop_token stop);

  /// All body bytes that have arrived, at least one after kBody. Lets a waiting library go on.
  std::string TakeBody();

  /// Nothing is wanted any more: drops what is buffered and releases a waiting library.
  void Abandon();

  /// After kHeaders.
  int status() const;
  Headers headers() const;

  /// After kFailed.
  std::string failure() const;
  bool timed_out() const;

  /// False: the server has not seen the whole head of the request, so it did nothing.
  bool sent() const;

 private:
  Event NextLocked();  // kDeadline when there is nothing yet

  const std::size_t high_water_;
  mutable std::mutex mutex_;  // guards all below
  std::condition_variable_any changed_;
  bool sent_ = false;
  bool headers_known_ = false;
  bool headers_told_ = false;
  bool ended_ = false;
  bool failed_ = false;
  bool timed_out_ = false;
  bool abandoned_ = false;
  int status_ = 0;
  Headers headers_;
  std::string body_;
  std::function<void()> resume_;
  std::string failure_;
};

}  // namespace torchsoak::http
