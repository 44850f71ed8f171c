#include "operator/runtime/health.h"

#include <utility>

namespace torchsoak::runtime {

void Health::AddLive(std::string name, Check check) {
  live_.push_back({std::move(name), std::move(check)});
}

void Health::AddReady(std::string name, Check check) {
  ready_.push_back({std::move(name), std::move(check)});
}

Health::Reply Health::Live(bool verbose) const { return Ask(live_, "healthz", verbose); }

Health::Reply Health::Ready(bool verbose) const { return Ask(ready_, "readyz", verbose); }

/// The text is as the API server's own /healthz?verbose writes it.
Health::Reply Health::Ask(const std::vector<Named>& checks, const char* what, bool verbose) {
  Reply reply;
  std::string lines;
  for (const Named& named : checks) {
    const Status status = named.check();
    reply.ok = reply.ok && status.has_value();
    lines += status ? "[+]" + named.name + " ok\n"
                    : "[-]" + named.name + " failed: " + status.error().message + "\n";
  }
  if (reply.ok && !verbose) {
    reply.text = "ok";
    return reply;
  }
  reply.text = lines + what + (reply.ok ? " check passed\n" : " check failed\n");
  return reply;
}

}  // namespace torchsoak::runtime
