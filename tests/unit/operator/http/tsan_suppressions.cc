// Compiled into every test that speaks through cpprestsdk. Debian's library is not instrumented:
// TSan does not see the reference counts that its threads change, and takes the freeing of a
// request's context for a race. Nothing of ours has this name in it.
extern "C" const char* __tsan_default_suppressions();

extern "C" const char* __tsan_default_suppressions() {
  return "race:web::http::client::details::asio_context\n";
}
