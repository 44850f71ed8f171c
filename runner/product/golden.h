#pragma once
// Which product may be trusted as the one that all later ones must equal. Pure.
//
// Not simply the first: it could be wrong itself. Each device makes the product three times; at
// least two must agree to the last bit, with each other and with every other device of the same
// model, and satisfy a reference that was computed on the host.

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace torchsoak::runner {

/// A matrix in two numbers (bit_sums.h).
struct Fingerprint {
  std::uint64_t rows = 0;
  std::uint64_t columns = 0;

  bool operator==(const Fingerprint&) const = default;
};

/// "0123456789abcdef-0123456789abcdef"
std::string ToString(const Fingerprint& print);

inline constexpr std::size_t kPasses = 3;

/// What one device showed.
struct Passes {
  std::string device;  ///< "cuda:1"
  std::string model;   ///< "NVIDIA H200"; "" when unknown: then compared with nobody
  struct Pass {
    Fingerprint print;
    std::optional<std::string> fault;  ///< how it fails the reference
  };
  std::array<Pass, kPasses> passes;
};

struct Golden {
  enum class State {
    kAgreed,
    kWrong,          ///< a product was wrong: `detail` says which and how
    kNotRepeatable,  ///< every product is right, but each has other bits: nothing to compare with
  };
  State state = State::kAgreed;
  std::optional<std::size_t> pass;  ///< the one to compare with; absent when there is none
  std::string detail;
};

/// One for each device.
std::vector<Golden> ChooseGolden(const std::vector<Passes>& devices);

}  // namespace torchsoak::runner
