#pragma once
// One stream of requests: its input, its place on a device, its latencies.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "common/base/clock.h"
#include "common/contract/spec.h"
#include "runner/model/model.h"

namespace torchsoak::runner {

/// Used by one thread.
class RequestStream {
 public:
  /// `model` is in evaluation mode and shared with other streams. Throws what LibTorch throws.
  RequestStream(const contract::InferenceSpec& spec, Model& model, const std::string& device,
                std::uint64_t seed, const Clock& clock);
  ~RequestStream();

  /// Makes `requests` requests. Throws nothing: a request that failed is counted.
  void Run(std::int64_t requests);

  struct Tally {
    std::vector<std::int64_t> latencies_ns;  ///< of answered requests
    std::int64_t errors = 0;
    std::int64_t out_of_memory = 0;  ///< part of errors
    std::string last_error;
  };
  /// What happened since the last call.
  Tally Take();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace torchsoak::runner
