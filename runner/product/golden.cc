#include "runner/product/golden.h"

#include <algorithm>
#include <cstdio>

namespace torchsoak::runner {
namespace {

/// How many of the passes have this one's bits.
std::ptrdiff_t Votes(const Passes& device, std::size_t pass) {
  return std::ranges::count_if(device.passes, [&](const Passes::Pass& one) {
    return one.print == device.passes[pass].print;
  });
}

std::string Ordinal(std::size_t pass) {
  constexpr std::array<const char*, kPasses> kWords = {"first", "second", "third"};
  return kWords.at(pass);
}

Golden Wrong(const Passes& device, std::optional<std::size_t> golden, const std::string& how) {
  return {Golden::State::kWrong, golden, device.device + ": " + how};
}

/// A device by itself.
Golden Choose(const Passes& device) {
  for (std::size_t i = 0; i < kPasses; ++i) {
    const Passes::Pass& pass = device.passes[i];
    if (!pass.fault) continue;
    if (Votes(device, i) > 1) return Wrong(device, std::nullopt, "every time " + *pass.fault);
    const std::size_t other = (i + 1) % kPasses;
    const bool agreed = Votes(device, other) > 1 && !device.passes[other].fault;
    return Wrong(device, agreed ? std::optional(other) : std::nullopt,
                 "in the " + Ordinal(i) + " of three products " + *pass.fault);
  }
  for (std::size_t i = 0; i < kPasses; ++i) {
    if (Votes(device, i) == kPasses) return {Golden::State::kAgreed, i, ""};
    if (Votes(device, i) == 1 && Votes(device, (i + 1) % kPasses) > 1) {
      return Wrong(device, (i + 1) % kPasses,
                   "the " + Ordinal(i) + " of three products has other bits than the two others");
    }
  }
  return {Golden::State::kNotRepeatable, std::nullopt,
          device.device +
              ": three products that all fit the reference have different bits, so that "
              "there is nothing to compare with: this kernel does not repeat itself"};
}

/// What most devices of this one's model have, if there is one.
std::optional<Fingerprint> Majority(const std::vector<Passes>& devices,
                                    const std::vector<Golden>& golden, const std::string& model) {
  for (std::size_t i = 0; i < devices.size(); ++i) {
    if (devices[i].model != model || golden[i].state != Golden::State::kAgreed) continue;
    std::size_t same = 0;
    std::size_t all = 0;
    for (std::size_t j = 0; j < devices.size(); ++j) {
      if (devices[j].model != model || golden[j].state != Golden::State::kAgreed) continue;
      ++all;
      same += devices[j].passes[*golden[j].pass].print == devices[i].passes[*golden[i].pass].print;
    }
    if (2 * same > all) return devices[i].passes[*golden[i].pass].print;
  }
  return std::nullopt;
}

}  // namespace

std::string ToString(const Fingerprint& print) {
  char text[40];
  std::snprintf(text, sizeof text, "%016llx-%016llx", static_cast<unsigned long long>(print.rows),
                static_cast<unsigned long long>(print.columns));
  return text;
}

std::vector<Golden> ChooseGolden(const std::vector<Passes>& devices) {
  std::vector<Golden> golden;
  for (const Passes& device : devices) golden.push_back(Choose(device));
  const std::vector<Golden> alone = golden;
  for (std::size_t i = 0; i < devices.size(); ++i) {
    if (devices[i].model.empty() || alone[i].state != Golden::State::kAgreed) continue;
    const auto majority = Majority(devices, alone, devices[i].model);
    if (majority == devices[i].passes[*alone[i].pass].print) continue;
    golden[i] = Wrong(devices[i], std::nullopt,
                      majority ? "its product has other bits than that of most " + devices[i].model
                               : "devices of the model " + devices[i].model +
                                     " do not agree on the bits of the product");
  }
  return golden;
}

}  // namespace torchsoak::runner
