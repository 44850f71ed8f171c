#include "runner/model/samples.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/rand.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/where.h>
#include <c10/core/Device.h>

#include <algorithm>
#include <cmath>

#include "runner/device/scalar_type.h"

namespace torchsoak::runner {
namespace {

constexpr std::uint64_t kTeacherSeed = 20240229;
constexpr std::int64_t kMostFeatures = 1024;
constexpr std::int64_t kWordFeatures = 16;
constexpr std::int64_t kMostWords = 4096;    ///< the teacher takes larger numbers modulo this
constexpr std::int64_t kWordsAtOnce = 1024;  ///< samples whose words are looked up together
constexpr double kGrammar = 0.75;            ///< share of tokens that follow from the one before

std::vector<std::int64_t> With(std::int64_t count, const std::vector<std::int64_t>& shape) {
  std::vector<std::int64_t> all = {count};
  all.insert(all.end(), shape.begin(), shape.end());
  return all;
}

at::Tensor Numbers(const std::vector<std::int64_t>& shape, std::int64_t count, at::Generator& rng) {
  at::Tensor samples = at::randn(With(count, shape), rng, at::kFloat);
  if (shape.size() == 3) samples.add_(at::randn({count, shape[0], 1, 1}, rng, at::kFloat));
  return samples;
}

/// The cube of a uniform number: the smallest tenth of the words is nearly half of a text.
at::Tensor Words(const std::vector<std::int64_t>& shape, std::int64_t below, at::Generator& rng) {
  const at::Tensor place = at::rand(shape, rng, at::kDouble).pow_(3);
  return place.mul_(static_cast<double>(below)).to(at::kLong).clamp_max_(below - 1);
}

at::Tensor Successor(const at::Tensor& token, std::int64_t below) {
  return token.mul(31).add_(7).remainder_(below);
}

at::Tensor Language(std::int64_t count, std::int64_t tokens, std::int64_t below,
                    at::Generator& rng) {
  at::Tensor text = Words({count, tokens}, below, rng);
  const at::Tensor free = at::rand({count, tokens}, rng, at::kFloat).gt(kGrammar);
  for (std::int64_t i = 1; i < tokens; ++i) {
    const at::Tensor follows = Successor(text.select(1, i - 1), below);
    text.select(1, i).copy_(at::where(free.select(1, i), text.select(1, i), follows));
  }
  return text;
}

at::Tensor TeacherMatrix(std::int64_t rows, std::int64_t columns, std::uint64_t number) {
  at::Generator rng = at::detail::createCPUGenerator(kTeacherSeed + number);
  return at::randn({rows, columns}, rng, at::kFloat);
}

/// What the teacher sees of whole numbers [n, words]: the sum of a fixed random row for each.
at::Tensor WordFeatures(const at::Tensor& words, std::int64_t below, std::uint64_t number) {
  const std::int64_t rows = std::min(below, kMostWords);
  const at::Tensor table = TeacherMatrix(rows, kWordFeatures, number);
  const at::Tensor flat = words.to(at::kLong).view({words.size(0), -1}).remainder(rows);
  std::vector<at::Tensor> features;
  for (const at::Tensor& part : flat.split(kWordsAtOnce)) {
    const at::Tensor rows_of = table.index_select(0, part.flatten());
    features.push_back(rows_of.view({part.size(0), part.size(1), kWordFeatures}).sum(1));
  }
  return at::cat(features).div_(std::sqrt(static_cast<double>(flat.size(1))));
}

/// Of an image the means of its channels, of other numbers the first thousand.
at::Tensor NumberFeatures(const at::Tensor& numbers) {
  if (numbers.dim() == 4) return numbers.mean({2, 3});
  const at::Tensor flat = numbers.view({numbers.size(0), -1});
  return flat.narrow(1, 0, std::min(flat.size(1), kMostFeatures));
}

at::Tensor FeaturesOf(const Task& task, const std::vector<at::Tensor>& inputs) {
  std::vector<at::Tensor> features;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const std::int64_t below = task.inputs[i].below;
    features.push_back(below > 0 ? WordFeatures(inputs[i], below, i + 1)
                                 : NumberFeatures(inputs[i]));
  }
  return at::cat(features, 1);
}

at::Tensor NextTokens(const at::Tensor& text, std::int64_t below) {
  const std::int64_t tokens = text.size(1);
  const at::Tensor last = Successor(text.select(1, tokens - 1), below);
  return at::cat({text.narrow(1, 1, tokens - 1), last.unsqueeze(1)}, 1);
}

}  // namespace

std::vector<at::Tensor> RandomInputs(const Task& task, std::int64_t count, at::Generator& rng) {
  std::vector<at::Tensor> inputs;
  for (const Task::Input& input : task.inputs) {
    if (input.below == 0) {
      inputs.push_back(Numbers(input.shape, count, rng));
    } else if (task.target == Task::Target::kNextToken) {
      inputs.push_back(Language(count, input.shape.front(), input.below, rng));
    } else {
      const at::Tensor words = Words(With(count, input.shape), input.below, rng);
      inputs.push_back(input.narrow ? words.to(at::kInt) : words);
    }
  }
  return inputs;
}

std::vector<at::Tensor> Placed(std::vector<at::Tensor> inputs, contract::Precision precision,
                               const std::string& device) {
  const c10::Device where(device);
  for (at::Tensor& input : inputs) {
    input = input.is_floating_point() ? input.to(where, ScalarTypeOf(precision)) : input.to(where);
  }
  return inputs;
}

at::Tensor TargetsOf(const Task& task, const std::vector<at::Tensor>& inputs) {
  if (task.target == Task::Target::kNextToken) {
    return NextTokens(inputs.front(), task.inputs.front().below);
  }
  const at::Tensor features = FeaturesOf(task, inputs);
  const bool yes_no = task.target == Task::Target::kYesNo;
  const at::Tensor scores =
      features.matmul(TeacherMatrix(features.size(1), yes_no ? 1 : task.classes, 0));
  if (yes_no) return scores.squeeze(1).gt(0).to(at::kFloat);
  return scores.argmax(1);
}

}  // namespace torchsoak::runner
