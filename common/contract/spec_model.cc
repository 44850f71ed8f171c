#include "common/contract/spec_model.h"

#include <array>
#include <cmath>
#include <string>
#include <utility>

namespace torchsoak::contract {
namespace {

constexpr std::array<Word<ModelInput::Type>, 3> kInputTypes = {
    {{"FP32", ModelInput::Type::kFp32},
     {"INT64", ModelInput::Type::kInt64},
     {"INT32", ModelInput::Type::kInt32}}};
constexpr std::array<Word<Precision>, 3> kPrecisions = {
    {{"FP32", Precision::kFp32}, {"BF16", Precision::kBf16}, {"FP16", Precision::kFp16}}};
constexpr std::size_t kMaxInputs = 16;
constexpr std::size_t kMaxDimensions = 8;
constexpr std::int64_t kWide = 1'048'576;
constexpr std::int64_t kMaxBelow = 2'147'483'647;

ModelInput ReadInput(SpecReader reader) {
  ModelInput input;
  reader.Choice<ModelInput::Type>("type", kInputTypes, input.type);
  reader.Int("below", 1, kMaxBelow, input.below);
  const Json* shape = reader.Member("shape");
  if (shape == nullptr || !shape->is_array() || shape->size() > kMaxDimensions) {
    reader.Wrong("shape", "must be a list of at most 8 sizes");
    return input;
  }
  for (const Json& size : *shape) {
    const auto whole = GetInt(size, {});
    if (!whole || *whole < 1 || *whole > kWide) {
      reader.Wrong("shape", "sizes are from 1 to " + std::to_string(kWide));
    }
    input.shape.push_back(whole.value_or(1));
  }
  return input;
}

ModelSpec ReadFile(SpecReader reader, ModelKind kind) {
  ModelSpec model;
  model.kind = kind;
  model.classes = 0;
  reader.Text("path", model.path);
  if (model.path.empty()) reader.Wrong("path", "is missing");
  if (kind == ModelKind::kTorchScript) reader.Int("classes", 2, kWide, model.classes);
  const Json* inputs = reader.Member("inputs");
  if (inputs == nullptr || !inputs->is_array() || inputs->empty() || inputs->size() > kMaxInputs) {
    reader.Wrong("inputs", "must be a list of 1 to 16");
    return model;
  }
  for (std::size_t i = 0; i < inputs->size(); ++i) {
    model.inputs_of_file.push_back(ReadInput(reader.Item("inputs", i)));
  }
  return model;
}

ModelSpec ReadBuiltin(SpecReader& reader) {
  ModelKind kind = ModelKind::kMlp;
  reader.Choice<ModelKind>("builtin", AllBuiltins(), kind);
  ModelSpec model = UsualSizes(kind);
  SpecReader params = reader.Child("params");
  for (const ModelSize& size : AllSizes()) {
    params.Int(size.name, size.low, size.high, model.*size.member);
  }
  params.Number("dropout", 0, std::nextafter(1.0, 0.0), model.dropout);
  params.EachKey([&](std::string_view key) {
    if (!HasSize(kind, key)) params.Wrong(key, "is no param of " + std::string(ToString(kind)));
  });
  if (kind == ModelKind::kConvNet && model.kernel > model.image_size) {
    params.Wrong("kernel", "must not exceed imageSize");
  }
  if (HasSize(kind, "heads") && model.hidden % model.heads != 0) {
    params.Wrong("heads", "must divide hidden");
  }
  return model;
}

}  // namespace

std::span<const Word<Precision>> ModelPrecisions() { return kPrecisions; }

ModelSpec ReadModel(SpecReader reader) {
  const bool script = reader.Has("torchScript");
  const bool compiled = reader.Has("aotInductor");
  if ((script || compiled) && (script == compiled || reader.Has("builtin"))) {
    reader.Wrong("", "set one of builtin, torchScript and aotInductor");
  }
  if (script) return ReadFile(reader.Child("torchScript"), ModelKind::kTorchScript);
  if (compiled) return ReadFile(reader.Child("aotInductor"), ModelKind::kAotInductor);
  return ReadBuiltin(reader);
}

}  // namespace torchsoak::contract
