#pragma once
// One model whose runs are timed, on one device: the part of mode Benchmark that LibTorch does.

#include <cstdint>
#include <memory>
#include <string>

#include "common/contract/spec.h"

namespace torchsoak::runner {

/// Used by one thread. Members throw what LibTorch throws.
class TimedModel {
 public:
  /// Model and one batch of data, from the seed.
  TimedModel(const contract::Spec& spec, const std::string& device);
  ~TimedModel();

  /// One run of what spec.benchmark.measure names; its results are dropped. On an accelerator the
  /// work may still be running when it returns.
  void Launch();

  std::int64_t ParameterCount() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Gradients of the calling thread as spec.benchmark asks for, while it lives.
class GradScope {
 public:
  explicit GradScope(const contract::BenchmarkSpec& spec);
  ~GradScope();
  GradScope(const GradScope&) = delete;
  GradScope& operator=(const GradScope&) = delete;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace torchsoak::runner
