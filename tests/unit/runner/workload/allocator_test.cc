#include <ATen/ops/empty.h>
#include <gtest/gtest.h>

#include <vector>

#include "runner/device/counting_allocator.h"

namespace torchsoak::runner {
namespace {

at::Tensor Bytes(std::int64_t n) { return at::empty({n}, at::kByte); }

class Allocator : public testing::Test {
 protected:
  Allocator() { InstallCountingAllocator(); }
};

TEST_F(Allocator, CountsBlocksAndBytesExactly) {
  const AllocationCounts before = CpuAllocations();
  std::vector<at::Tensor> kept;
  for (const std::int64_t n : {1, 4, 1000, 1 << 20}) kept.push_back(Bytes(n));
  const AllocationCounts during = CpuAllocations();
  EXPECT_EQ(during.objects - before.objects, 4);
  EXPECT_EQ(during.bytes - before.bytes, 1 + 4 + 1000 + (1 << 20));
  kept.clear();
  EXPECT_EQ(CpuAllocations().objects, before.objects);
  EXPECT_EQ(CpuAllocations().bytes, before.bytes);
}

TEST_F(Allocator, AnEmptyTensorIsNoBlock) {
  const AllocationCounts before = CpuAllocations();
  const at::Tensor empty = Bytes(0);
  EXPECT_EQ(CpuAllocations().objects, before.objects);
}

TEST_F(Allocator, TheViewsOfATensorAreNoBlocks) {
  const at::Tensor whole = Bytes(100);
  const AllocationCounts before = CpuAllocations();
  const at::Tensor view = whole.narrow(0, 10, 20);
  EXPECT_EQ(CpuAllocations().objects, before.objects);
}

TEST_F(Allocator, KeepsTheAlignment) {
  for (const std::int64_t n : {1, 63, 64, 65, 100'000}) {
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(Bytes(n).data_ptr()) % 64, 0U) << n;
  }
}

TEST_F(Allocator, ThePeakIsTheHighestSinceTheReset) {
  ResetCpuPeak();
  const AllocationCounts before = CpuAllocations();
  EXPECT_EQ(before.peak_bytes, before.bytes);
  { const at::Tensor large = Bytes(1 << 20); }
  EXPECT_EQ(CpuAllocations().peak_bytes - before.bytes, 1 << 20);
  ResetCpuPeak();
  EXPECT_EQ(CpuAllocations().peak_bytes, CpuAllocations().bytes);
}

}  // namespace
}  // namespace torchsoak::runner
