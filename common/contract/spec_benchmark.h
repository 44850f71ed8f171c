#pragma once
// The part of ParseSpec that reads `benchmark`. Private to it.

#include "common/contract/spec.h"
#include "common/contract/spec_reader.h"

namespace torchsoak::contract {

BenchmarkSpec ReadBenchmark(SpecReader reader);

}  // namespace torchsoak::contract
