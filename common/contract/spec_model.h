#pragma once
// The part of ParseSpec that reads `model`. Private to it.

#include "common/contract/spec.h"
#include "common/contract/spec_reader.h"

namespace torchsoak::contract {

ModelSpec ReadModel(SpecReader reader);

/// Number formats that a model may be in.
std::span<const Word<Precision>> ModelPrecisions();

}  // namespace torchsoak::contract
