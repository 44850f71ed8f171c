#pragma once
// `torchsoak controller`: builds the object graph, runs it until a signal or an error.

#include "operator/app/options.h"

namespace torchsoak::app {

/// Blocks until SIGTERM or SIGINT (0), or the first error of any part (1, said in the log). Call it
/// once, from main, before any other thread exists; leave with _Exit afterwards, since the HTTP
/// library's threads must not be joined by static destructors.
int RunController(const ControllerOptions& options);

}  // namespace torchsoak::app
