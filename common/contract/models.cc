#include "common/contract/models.h"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <utility>

namespace torchsoak::contract {
namespace {

using Name = std::pair<std::string_view, Builtin>;

constexpr auto kBuiltins = std::to_array<Name>({{"MLP", Builtin::kMlp},
                                                {"ConvNet", Builtin::kConvNet},
                                                {"ResNet18", Builtin::kResNet18},
                                                {"ResNet50", Builtin::kResNet50},
                                                {"BERTBase", Builtin::kBertBase},
                                                {"DLRM", Builtin::kDlrm},
                                                {"GPT", Builtin::kGpt}});

constexpr std::int64_t kWide = 1'048'576;

constexpr auto kSizes = std::to_array<ModelSize>({
    {"inputs", &ModelSpec::inputs, 1, kWide},
    {"hidden", &ModelSpec::hidden, 1, kWide},
    {"layers", &ModelSpec::layers, 1, 1024},
    {"outputs", &ModelSpec::outputs, 2, kWide},
    {"channels", &ModelSpec::channels, 1, 65'536},
    {"kernel", &ModelSpec::kernel, 1, 64},
    {"stride", &ModelSpec::stride, 1, 64},
    {"imageSize", &ModelSpec::image_size, 1, 8192},
    {"classes", &ModelSpec::classes, 2, kWide},
    {"sequence", &ModelSpec::sequence, 2, 32'768},
    {"vocabulary", &ModelSpec::vocabulary, 2, kWide},
    {"heads", &ModelSpec::heads, 1, 1024},
    {"dense", &ModelSpec::dense, 1, 65'536},
    {"tables", &ModelSpec::tables, 1, 1024},
    {"rows", &ModelSpec::rows, 2, 1'000'000'000},
    {"embedding", &ModelSpec::embedding, 1, 4096},
});

bool IsOneOf(std::string_view param, std::initializer_list<std::string_view> names) {
  return std::find(names.begin(), names.end(), param) != names.end();
}

}  // namespace

std::string_view ToString(Builtin model) {
  return kBuiltins[static_cast<std::size_t>(model)].first;
}

std::span<const Name> AllBuiltins() { return kBuiltins; }

ModelSpec UsualSizes(Builtin model) {
  ModelSpec spec;
  spec.builtin = model;
  if (model == Builtin::kBertBase || model == Builtin::kGpt) {
    spec.hidden = 768;
    spec.layers = 12;
    spec.dropout = 0.1;
  }
  if (model == Builtin::kBertBase) spec.classes = 2;
  if (model == Builtin::kGpt) spec.vocabulary = 50'257;
  return spec;
}

std::span<const ModelSize> AllSizes() { return kSizes; }

bool HasSize(Builtin model, std::string_view param) {
  switch (model) {
    case Builtin::kMlp:
      return IsOneOf(param, {"inputs", "hidden", "layers", "outputs", "dropout"});
    case Builtin::kConvNet:
      return IsOneOf(param, {"channels", "kernel", "stride", "imageSize", "classes"});
    case Builtin::kResNet18:
    case Builtin::kResNet50:
      return IsOneOf(param, {"imageSize", "classes"});
    case Builtin::kBertBase:
      return IsOneOf(param,
                     {"hidden", "layers", "heads", "dropout", "sequence", "vocabulary", "classes"});
    case Builtin::kGpt:
      return IsOneOf(param, {"hidden", "layers", "heads", "dropout", "sequence", "vocabulary"});
    case Builtin::kDlrm:
      return IsOneOf(param, {"dense", "tables", "rows", "embedding"});
  }
  return false;
}

}  // namespace torchsoak::contract
