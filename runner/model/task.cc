#include "runner/model/task.h"

namespace torchsoak::runner {

namespace {

Task TaskOfFile(const contract::ModelSpec& spec) {
  Task task;
  task.classes = spec.classes;
  for (const contract::ModelInput& input : spec.inputs_of_file) {
    const bool numbers = input.type == contract::ModelInput::Type::kFp32;
    task.inputs.push_back(
        {input.shape, numbers ? 0 : input.below, input.type == contract::ModelInput::Type::kInt32});
  }
  return task;
}

}  // namespace

Task TaskOf(const contract::ModelSpec& spec) {
  using contract::ModelKind;
  switch (spec.kind) {
    case ModelKind::kMlp:
      return {{{{spec.inputs}, 0}}, Task::Target::kClass, spec.outputs};
    case ModelKind::kConvNet:
    case ModelKind::kResNet18:
    case ModelKind::kResNet50:
      return {{{{3, spec.image_size, spec.image_size}, 0}}, Task::Target::kClass, spec.classes};
    case ModelKind::kBertBase:
      return {{{{spec.sequence}, spec.vocabulary}}, Task::Target::kClass, spec.classes};
    case ModelKind::kDlrm:
      return {{{{spec.dense}, 0}, {{spec.tables}, spec.rows}}, Task::Target::kYesNo, 2};
    case ModelKind::kTorchScript:
    case ModelKind::kAotInductor:
      return TaskOfFile(spec);
    case ModelKind::kGpt:
      break;
  }
  return {{{{spec.sequence}, spec.vocabulary}}, Task::Target::kNextToken, spec.vocabulary};
}

}  // namespace torchsoak::runner
