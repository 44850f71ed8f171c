#pragma once
// A data set that can be learned and costs no disk: random samples, labels from a fixed random
// linear teacher.
//
// At most 256 MiB of samples are kept, on the device; a larger data set repeats them in the same
// order. Each epoch is shuffled anew, from the seed. Members throw what LibTorch throws.

#include <cstdint>
#include <memory>
#include <string>

#include "common/contract/spec.h"

namespace at {
class Tensor;
}

namespace torchsoak::runner {

class SyntheticData {
 public:
  struct Options {
    contract::ModelSpec model;
    std::int64_t samples = 0;                                    ///< in an epoch
    contract::Precision precision = contract::Precision::kFp32;  ///< of the inputs
    std::string device;
    std::uint64_t seed = 0;
  };
  explicit SyntheticData(const Options& options);
  ~SyntheticData();

  /// The order of the samples in epoch `epoch`.
  void Shuffle(std::int64_t epoch);

  /// Samples `first` to `first + count` of the epoch into `inputs` and `labels`.
  void Take(std::int64_t first, std::int64_t count, at::Tensor& inputs, at::Tensor& labels) const;

  /// How many different samples there are.
  std::int64_t distinct() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace torchsoak::runner
