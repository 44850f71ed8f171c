#include "operator/http/exchange.h"

#include <utility>

namespace torchsoak::http {

void Exchange::OnSent() {
  const std::lock_guard lock(mutex_);
  sent_ = true;
}

void Exchange::OnHeaders(int status, Headers headers) {
  const std::lock_guard lock(mutex_);
  sent_ = true;
  headers_known_ = true;
  status_ = status;
  headers_ = std::move(headers);
  changed_.notify_all();
}

Exchange::Push Exchange::OnBody(std::string_view piece, std::function<void()> resume) {
  const std::lock_guard lock(mutex_);
  if (abandoned_ || failed_) return Push::kClosed;
  body_.append(piece);
  changed_.notify_all();
  if (body_.size() <= high_water_) return Push::kGoOn;
  resume_ = std::move(resume);
  return Push::kWait;
}

void Exchange::OnEnd() {
  const std::lock_guard lock(mutex_);
  if (failed_) return;
  ended_ = true;
  changed_.notify_all();
}

void Exchange::OnFailure(std::string message, bool timed_out) {
  const std::lock_guard lock(mutex_);
  if (failed_ || ended_) return;
  failed_ = true;
  timed_out_ = timed_out;
  failure_ = std::move(message);
  changed_.notify_all();
}

Exchange::Event Exchange::NextLocked() {
  if (headers_known_ && !headers_told_) {
    headers_told_ = true;
    return Event::kHeaders;
  }
  // The library writes body bytes before it tells us of the headers it has read.
  if (headers_told_ && !body_.empty()) return Event::kBody;
  if (failed_) return Event::kFailed;
  if (ended_) return Event::kEnd;
  return Event::kDeadline;
}

Exchange::Event Exchange::Wait(Time deadline, std::stop_token stop) {
  std::unique_lock lock(mutex_);
  Event event = Event::kDeadline;
  changed_.wait_until(lock, stop, deadline, [&] {
    event = NextLocked();
    return event != Event::kDeadline;
  });
  return stop.stop_requested() ? Event::kStopped : event;
}

std::string Exchange::TakeBody() {
  std::string body;
  std::function<void()> resume;
  {
    const std::lock_guard lock(mutex_);
    body.swap(body_);
    resume.swap(resume_);
  }
  // Outside the lock: it completes a task of the library, whose continuations may call us.
  if (resume) resume();
  return body;
}

void Exchange::Abandon() {
  std::function<void()> resume;
  {
    const std::lock_guard lock(mutex_);
    abandoned_ = true;
    body_.clear();
    body_.shrink_to_fit();
    resume.swap(resume_);
  }
  if (resume) resume();
}

int Exchange::status() const {
  const std::lock_guard lock(mutex_);
  return status_;
}

Headers Exchange::headers() const {
  const std::lock_guard lock(mutex_);
  return headers_;
}

std::string Exchange::failure() const {
  const std::lock_guard lock(mutex_);
  return failure_;
}

bool Exchange::timed_out() const {
  const std::lock_guard lock(mutex_);
  return timed_out_;
}

bool Exchange::sent() const {
  const std::lock_guard lock(mutex_);
  return sent_;
}

}  // namespace torchsoak::http
