#pragma once
// The part of ParseSpec that reads `model`. Private to it.

#include "common/contract/models.h"
#include "common/contract/spec_reader.h"

namespace torchsoak::contract {

ModelSpec ReadModel(SpecReader reader);

}  // namespace torchsoak::contract
