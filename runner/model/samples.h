#pragma once
// Random samples of a task, with the answers that can be learned. Made on the CPU by a generator.

#include <cstdint>
#include <string>
#include <vector>

#include "common/contract/spec.h"
#include "runner/model/task.h"

namespace at {
class Tensor;
struct Generator;
}  // namespace at

namespace torchsoak::runner {

/// `count` samples, one tensor [count, shape…] an input: FP32 from a normal distribution, or INT64,
/// small numbers more often than large ones, as words are. An image has a mean of its own in each
/// channel: that is what a network with global pooling can see. Tokens whose next one is asked for
/// form a language: three of four follow from the one before.
std::vector<at::Tensor> RandomInputs(const Task& task, std::int64_t count, at::Generator& rng);

/// The same on a device, its numbers in `precision`.
std::vector<at::Tensor> Placed(std::vector<at::Tensor> inputs, contract::Precision precision,
                               const std::string& device);

/// What a model of that task is to say of `inputs`: the next tokens of the language; for the other
/// tasks the answer of a fixed random linear teacher, the same for every seed, so that two runs
/// learn the same from different samples.
at::Tensor TargetsOf(const Task& task, const std::vector<at::Tensor>& inputs);

}  // namespace torchsoak::runner
