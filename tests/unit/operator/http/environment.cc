// The process-wide state of the tests in this folder: a small thread pool, so that a blocked thread
// shows, and a certificate authority that only "the system" trusts.

#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "operator/http/cpprest_transport.h"
#include "tests/unit/operator/http/environment.h"

namespace torchsoak::http {
namespace {

class HttpEnvironment final : public ::testing::Environment {
 public:
  void SetUp() override {
    std::signal(SIGPIPE, SIG_IGN);
    std::ofstream(path_) << SystemAuthority().certificate;
    setenv("SSL_CERT_FILE", path_.c_str(), 1);
    ASSERT_TRUE(InitThreads(2));
  }

  void TearDown() override { std::filesystem::remove(path_); }

 private:
  const std::string path_ =
      std::filesystem::temp_directory_path() / ("torchsoak-ca-" + std::to_string(getpid()));
};

const auto* const kEnvironment = ::testing::AddGlobalTestEnvironment(new HttpEnvironment);

}  // namespace

const Pair& SystemAuthority() {
  static const Pair authority = MakeCertificate({.name = "system authority", .ca = true});
  return authority;
}

}  // namespace torchsoak::http
