#pragma once
// A piece of one device's memory, in two halves, into which patterns are written and copied.
//
// A slot is what is worked on at a time: a slice of the first half and the next one's counterpart
// in the second half, so that the same place of both halves holds different words, and two
// addresses that mean the same cell are seen.
//
// Free of LibTorch. Used by one thread. Everything throws what LibTorch throws.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "runner/pattern/pattern.h"

namespace torchsoak::runner {

class DeviceRegion {
 public:
  virtual ~DeviceRegion() = default;

  virtual std::int64_t bytes() const = 0;  ///< of both halves
  virtual std::int64_t slots() const = 0;
  virtual std::int64_t slot_bytes() const = 0;  ///< of a slot's slice in one half; all are alike

  /// Starts writing the content into the slot's slice of the first half.
  virtual void Write(std::int64_t slot, const Content& content) = 0;
  /// Starts copying that slice into the second half; Device::Synchronize waits for it.
  virtual void Copy(std::int64_t slot) = 0;

  /// Where the slot, in either half, does not hold the content; nothing when it does. Waits for the
  /// device.
  virtual std::optional<std::string> Fault(std::int64_t slot, const Content& content) = 0;

  /// Spoils the slot a little, for a canary.
  virtual void FlipOneBit(std::int64_t slot) = 0;
};

/// At most `bytes` of `device` ("cpu", "cuda:1"); without a number 90 % of what an accelerator has
/// free.
std::unique_ptr<DeviceRegion> MakeDeviceRegion(std::optional<std::int64_t> bytes,
                                               const std::string& device);

}  // namespace torchsoak::runner
