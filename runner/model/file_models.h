#pragma once
// Models from files. Both throw what LibTorch throws; MakeModel puts the file's name to it.

#include <memory>
#include <string>

#include "common/contract/spec.h"
#include "runner/model/model.h"

namespace torchsoak::runner {

/// A file of torch.jit.save, its numbers cast to `precision`.
std::unique_ptr<Model> LoadTorchScript(const std::string& path, contract::Precision precision,
                                       const std::string& device);

/// A .pt2 file of AOTInductor, which computes in the precision that it was exported in. It shows no
/// parameters.
std::unique_ptr<Model> LoadAotInductor(const std::string& path, const std::string& device);

}  // namespace torchsoak::runner
