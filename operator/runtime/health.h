#pragma once
// Named checks behind /healthz and /readyz.
//
// Checks are added before serving starts; after that any thread may ask. A check must be quick,
// must not touch the network, and says in its Error what is wrong.

#include <functional>
#include <string>
#include <vector>

#include "common/base/error.h"

namespace torchsoak::runtime {

class Health {
 public:
  using Check = std::function<Status()>;

  struct Reply {
    bool ok = true;    ///< HTTP 200, else 503
    std::string text;  ///< "ok", or one line per check when verbose or failed
  };

  /// /healthz: restart me when this fails.
  void AddLive(std::string name, Check check);

  /// /readyz: send me no work while this fails.
  void AddReady(std::string name, Check check);

  /// With `verbose` the text lists every check; otherwise only when one failed.
  Reply Live(bool verbose) const;
  Reply Ready(bool verbose) const;

 private:
  struct Named {
    std::string name;
    Check check;
  };
  static Reply Ask(const std::vector<Named>& checks, const char* what, bool verbose);

  std::vector<Named> live_;
  std::vector<Named> ready_;
};

}  // namespace torchsoak::runtime
