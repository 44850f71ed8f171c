#pragma once
// A client on a scripted transport, with a clock and credentials of the test's.

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "operator/k8s/rest_client.h"
#include "tests/fakes/fake_clock.h"
#include "tests/unit/operator/k8s/scripted_transport.h"

namespace torchsoak::k8s {

inline const ResourceType kJobs{"batch", "v1", "jobs", "Job"};
inline const ObjectKey kKey{"n", "j"};

/// Gives "token-1", and the next number after each rejection that it grants.
class CountingCredentials final : public Credentials {
 public:
  Expected<http::Headers> Get(std::stop_token) override {
    if (failure) return tl::unexpected(*failure);
    return http::Headers{{"authorization", "token-" + std::to_string(number)}};
  }
  bool Reject(BootTime) override {
    if (renewable) ++number;
    return renewable;
  }
  int number = 1;
  bool renewable = true;
  std::optional<Error> failure;
};

class RestClientTest : public ::testing::Test {
 protected:
  RestClientTest() {
    clock.SetAutoAdvance(true);
    options.on_request = [this](std::string_view verb, int code, std::chrono::nanoseconds) {
      seen.push_back(std::string(verb) + " " + std::to_string(code));
    };
    options.on_warning = [this](const std::string& text) { warnings.push_back(text); };
  }

  RestClient& client() {
    if (!client_) client_ = std::make_unique<RestClient>(transport, credentials, clock, options);
    return *client_;
  }

  /// Seconds that passed on the clock while `call` ran.
  template <typename F>
  double SecondsFor(F call) {
    const BootTime before = clock.Boot();
    call();
    return std::chrono::duration<double>(clock.Boot() - before).count();
  }

  ErrorCode GetCode() {
    const auto got = client().Get(kJobs, kKey, {});
    return got ? ErrorCode::kInternal : got.error().code;
  }
  ErrorCode CreateCode() {
    const auto got = client().Create(kJobs, "n", {{"metadata", {{"name", "j"}}}}, {});
    return got ? ErrorCode::kInternal : got.error().code;
  }

  ScriptedTransport transport;
  CountingCredentials credentials;
  fakes::FakeClock clock;
  RestOptions options;
  std::vector<std::string> seen;
  std::vector<std::string> warnings;

 private:
  std::unique_ptr<RestClient> client_;
};

}  // namespace torchsoak::k8s
