#include "runner/model/task.h"

namespace torchsoak::runner {

Task TaskOf(const contract::ModelSpec& spec) {
  using contract::Builtin;
  switch (spec.builtin) {
    case Builtin::kMlp:
      return {{{{spec.inputs}, 0}}, Task::Target::kClass, spec.outputs};
    case Builtin::kConvNet:
    case Builtin::kResNet18:
    case Builtin::kResNet50:
      return {{{{3, spec.image_size, spec.image_size}, 0}}, Task::Target::kClass, spec.classes};
    case Builtin::kBertBase:
      return {{{{spec.sequence}, spec.vocabulary}}, Task::Target::kClass, spec.classes};
    case Builtin::kDlrm:
      return {{{{spec.dense}, 0}, {{spec.tables}, spec.rows}}, Task::Target::kYesNo, 2};
    case Builtin::kGpt:
      break;
  }
  return {{{{spec.sequence}, spec.vocabulary}}, Task::Target::kNextToken, spec.vocabulary};
}

}  // namespace torchsoak::runner
