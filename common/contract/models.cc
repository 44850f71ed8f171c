#include "common/contract/models.h"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <utility>

namespace torchsoak::contract {
namespace {

using Name = std::pair<std::string_view, ModelKind>;

constexpr auto kBuiltins = std::to_array<Name>({{"MLP", ModelKind::kMlp},
                                                {"ConvNet", ModelKind::kConvNet},
                                                {"ResNet18", ModelKind::kResNet18},
                                                {"ResNet50", ModelKind::kResNet50},
                                                {"BERTBase", ModelKind::kBertBase},
                                                {"DLRM", ModelKind::kDlrm},
                                                {"GPT", ModelKind::kGpt}});

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

std::string_view ToString(ModelKind model) {
  if (model == ModelKind::kTorchScript) return "TorchScript";
  if (model == ModelKind::kAotInductor) return "AOTInductor";
  return kBuiltins[static_cast<std::size_t>(model)].first;
}

bool IsFile(ModelKind model) {
  return model == ModelKind::kTorchScript || model == ModelKind::kAotInductor;
}

std::span<const Name> AllBuiltins() { return kBuiltins; }

ModelSpec UsualSizes(ModelKind model) {
  ModelSpec spec;
  spec.kind = model;
  if (model == ModelKind::kBertBase || model == ModelKind::kGpt) {
    spec.hidden = 768;
    spec.layers = 12;
    spec.dropout = 0.1;
  }
  if (model == ModelKind::kBertBase) spec.classes = 2;
  if (model == ModelKind::kGpt) spec.vocabulary = 50'257;
  return spec;
}

std::span<const ModelSize> AllSizes() { return kSizes; }

bool HasSize(ModelKind model, std::string_view param) {
  switch (model) {
    case ModelKind::kMlp:
      return IsOneOf(param, {"inputs", "hidden", "layers", "outputs", "dropout"});
    case ModelKind::kConvNet:
      return IsOneOf(param, {"channels", "kernel", "stride", "imageSize", "classes"});
    case ModelKind::kResNet18:
    case ModelKind::kResNet50:
      return IsOneOf(param, {"imageSize", "classes"});
    case ModelKind::kBertBase:
      return IsOneOf(param,
                     {"hidden", "layers", "heads", "dropout", "sequence", "vocabulary", "classes"});
    case ModelKind::kGpt:
      return IsOneOf(param, {"hidden", "layers", "heads", "dropout", "sequence", "vocabulary"});
    case ModelKind::kDlrm:
      return IsOneOf(param, {"dense", "tables", "rows", "embedding"});
    case ModelKind::kTorchScript:
    case ModelKind::kAotInductor:
      break;
  }
  return false;
}

}  // namespace torchsoak::contract
