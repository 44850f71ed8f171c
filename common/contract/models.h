#pragma once
// What may be trained or asked: the one list of built-in models with the sizes that each may be
// given (spec's `params`), and models that come as files.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace torchsoak::contract {

enum class ModelKind {
  kMlp,
  kConvNet,
  kResNet18,
  kResNet50,
  kBertBase,
  kDlrm,
  kGpt,
  kTorchScript,  ///< a file of torch.jit.save
  kAotInductor,  ///< a .pt2 file: compiled for one kind of device
};

std::string_view ToString(ModelKind model);
std::span<const std::pair<std::string_view, ModelKind>> AllBuiltins();

/// True for a model that comes as a file.
bool IsFile(ModelKind model);

/// One tensor that a model from a file takes.
struct ModelInput {
  enum class Type { kFp32, kInt64, kInt32 };
  std::vector<std::int64_t> shape;  ///< of one sample
  Type type = Type::kFp32;          ///< kFp32 is cast to the run's precision
  std::int64_t below = 2;           ///< whole numbers are from 0 to below − 1

  bool operator==(const ModelInput&) const = default;
};

/// A model and its sizes; each built-in one has some of them (HasSize), the others mean nothing.
struct ModelSpec {
  ModelKind kind = ModelKind::kMlp;
  // MLP: inputs → hidden (layers times, ReLU, dropout) → outputs. BERTBase, GPT: layers of width
  // hidden, with dropout.
  std::int64_t inputs = 784;
  std::int64_t hidden = 1024;
  std::int64_t layers = 1;
  std::int64_t outputs = 10;
  double dropout = 0.5;
  // ConvNet: 3 × imageSize² → conv(channels, kernel², stride) → ReLU → global pool → classes.
  // ResNet18, ResNet50: imageSize and classes. BERTBase: classes.
  std::int64_t channels = 64;
  std::int64_t kernel = 7;
  std::int64_t stride = 2;
  std::int64_t image_size = 224;
  std::int64_t classes = 1000;
  // BERTBase, GPT: tokens of a sample, different tokens, attention heads.
  std::int64_t sequence = 128;
  std::int64_t vocabulary = 30'522;
  std::int64_t heads = 12;
  // DLRM: numbers of a sample, categories of a sample, rows of each category's table, width of a
  // row.
  std::int64_t dense = 13;
  std::int64_t tables = 26;
  std::int64_t rows = 10'000;
  std::int64_t embedding = 16;
  // TorchScript, AOTInductor. In training, `classes` is how many logits answer a sample.
  std::string path;
  std::vector<ModelInput> inputs_of_file;

  bool operator==(const ModelSpec&) const = default;
};

/// The sizes it was published with; DLRM's tables are shortened to fit every machine.
ModelSpec UsualSizes(ModelKind model);

/// A whole number of `params`, with the CRD's bounds.
struct ModelSize {
  std::string_view name;
  std::int64_t ModelSpec::*member;
  std::int64_t low;
  std::int64_t high;
};
std::span<const ModelSize> AllSizes();

/// Whether the member `param` of `params` ("dropout" too) is one of this model's.
bool HasSize(ModelKind model, std::string_view param);

}  // namespace torchsoak::contract
