#pragma once
// One model in training on one device: the part of the training workload that LibTorch does.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "common/base/json.h"
#include "common/contract/spec.h"

namespace torchsoak::runner {

/// Members throw what LibTorch throws.
class Replica {
 public:
  /// Model and data, from the seed.
  Replica(const contract::Spec& spec, const std::string& device);
  ~Replica();

  void Shuffle(std::int64_t epoch);

  /// One optimizer step from `batches` batches, starting at sample `first` of the epoch. On an
  /// accelerator the work may still be running when it returns.
  void Launch(std::int64_t first, std::int64_t batches);

  /// Waits for the launched step and gives its loss, before the weights changed. Drops everything
  /// that belonged to the step.
  double Collect();

  std::int64_t ParameterCount() const;
  std::int64_t distinct_samples() const;
  /// Steps skipped because scaled FP16 gradients overflowed, and the present scale.
  std::int64_t skipped_steps() const;
  double loss_scale() const;
  /// False when the latest step was skipped; nothing where no loss scaling may skip one.
  std::optional<bool> updated() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace torchsoak::runner
