#pragma once
// The response stream that cpprestsdk writes into: every piece goes straight to an Exchange.
//
// cpprestsdk's own buffers hold events back until 4 KiB have come and grow without limit when
// nobody reads. This one passes each piece on at once and, when the reader is slow, answers with an
// unfinished task: the library then reads no more from the socket and no pool thread is blocked.
// Only cpprest_transport.cc and its test include this header.

#include <memory>
#include <utility>

#include <cpprest/astreambuf.h>

#include "operator/http/exchange.h"

namespace torchsoak::http {

/// Write-only. Used by the library's threads, one write at a time. Every override returns normally:
/// an exception that left one would end the process.
class PushBuffer final : public concurrency::streams::details::streambuf_state_manager<uint8_t> {
 public:
  explicit PushBuffer(std::shared_ptr<Exchange> exchange)
      : streambuf_state_manager(std::ios_base::out), exchange_(std::move(exchange)) {}

  bool can_seek() const override { return false; }
  bool has_size() const override { return false; }
  std::size_t buffer_size(std::ios_base::openmode) const override { return 0; }
  void set_buffer_size(std::size_t, std::ios_base::openmode) override {}
  std::size_t in_avail() const override { return 0; }
  pos_type getpos(std::ios_base::openmode) const override { return eof(); }
  pos_type seekpos(pos_type, std::ios_base::openmode) override { return eof(); }
  pos_type seekoff(off_type, std::ios_base::seekdir, std::ios_base::openmode) override {
    return eof();
  }
  bool acquire(uint8_t*&, std::size_t&) override { return false; }
  void release(uint8_t*, std::size_t) override {}

 protected:
  pplx::task<int_type> _putc(uint8_t byte) override;
  pplx::task<std::size_t> _putn(const uint8_t* bytes, std::size_t count) override;
  pplx::task<bool> _sync() override { return pplx::task_from_result(true); }

  // Reading is not offered; nothing in the library's client calls these for a response stream.
  pplx::task<int_type> _bumpc() override { return pplx::task_from_result(traits::eof()); }
  int_type _sbumpc() override { return traits::eof(); }
  pplx::task<int_type> _getc() override { return pplx::task_from_result(traits::eof()); }
  int_type _sgetc() override { return traits::eof(); }
  pplx::task<int_type> _nextc() override { return pplx::task_from_result(traits::eof()); }
  pplx::task<int_type> _ungetc() override { return pplx::task_from_result(traits::eof()); }
  pplx::task<std::size_t> _getn(uint8_t*, std::size_t) override {
    return pplx::task_from_result<std::size_t>(0);
  }
  std::size_t _scopy(uint8_t*, std::size_t) override { return 0; }
  uint8_t* _alloc(std::size_t) override { return nullptr; }
  void _commit(std::size_t) override {}

 private:
  static pos_type eof() { return static_cast<pos_type>(traits::eof()); }

  std::shared_ptr<Exchange> exchange_;
};

}  // namespace torchsoak::http
