#pragma once
// A data set that can be learned and costs no disk: samples of a task, made from the seed.
//
// At most 256 MiB of samples are kept, on the device; a larger data set repeats them in the same
// order. Each epoch is shuffled anew, from the seed. Members throw what LibTorch throws.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "common/contract/spec.h"
#include "runner/model/task.h"

namespace at {
class Tensor;
}

namespace torchsoak::runner {

class SyntheticData {
 public:
  struct Options {
    Task task;
    std::int64_t samples = 0;                                    ///< in an epoch
    contract::Precision precision = contract::Precision::kFp32;  ///< of inputs that are numbers
    std::string device;
    std::uint64_t seed = 0;
  };
  explicit SyntheticData(const Options& options);
  ~SyntheticData();

  /// The order of the samples in epoch `epoch`.
  void Shuffle(std::int64_t epoch);

  /// Samples `first` to `first + count` of the epoch, as Model::Forward and LossOf want them.
  void Take(std::int64_t first, std::int64_t count, std::vector<at::Tensor>& inputs,
            at::Tensor& targets) const;

  /// How many different samples there are.
  std::int64_t distinct() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace torchsoak::runner
