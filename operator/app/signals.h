#pragma once
// SIGTERM and SIGINT, taken by one thread with sigwait: no code of ours runs in a handler.

#include <functional>

namespace torchsoak::app {

/// Blocks both signals in the calling thread (and so in all that it starts later). First thing in
/// main. SIGPIPE is ignored: a lost connection is an error value.
void BlockSignals();

/// Starts the thread ("signals") that waits. The first signal calls `stop` there, the second ends
/// the process with code 130. Call once.
void OnSignal(std::function<void()> stop);

}  // namespace torchsoak::app
