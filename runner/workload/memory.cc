#include "runner/workload/memory.h"

#include <algorithm>
#include <exception>
#include <utility>

#include "runner/workload/errors.h"

namespace torchsoak::runner {
namespace {

/// A device with its memory and how far it is.
struct Lane {
  std::string name;
  std::unique_ptr<DeviceRegion> region;
  std::int64_t pass = 1;     ///< that is being written; the one before is being checked
  std::int64_t slot = 0;     ///< the next
  std::int64_t checked = 0;  ///< slots, since the beginning
};

class Memory final : public Workload {
 public:
  Memory(const contract::Spec& spec, Device& device, std::vector<std::string> names,
         const Clock& clock, RegionMaker maker)
      : spec_(spec),
        device_(device),
        names_(std::move(names)),
        clock_(clock),
        maker_(std::move(maker)) {}

  Json Describe() const override;
  Status Prepare() override;
  Expected<std::vector<Proof>> ProveChecks() override;
  Expected<StepReport> Step(std::int64_t most_steps) override;

 private:
  void Fill(Lane& lane);
  bool CanarySeen(Lane& lane);
  void Check(Lane& lane, std::int64_t slot, std::int64_t pass, Checked& checked);
  StepReport OneStep();
  Content Of(std::int64_t pass) const { return Content::Of(pass, spec_.seed); }
  double Covered() const;

  const contract::Spec spec_;
  Device& device_;
  std::vector<std::string> names_;
  const Clock& clock_;
  RegionMaker maker_;
  std::vector<Lane> lanes_;
  Checked first_;  ///< what the first pass showed, until it is in a report
};

Json Memory::Describe() const {
  Json json = {{"kind", "Memory"},
               {"devices", names_},
               {"stepIncludes",
                "copying a slot from one half to the other, device wait; not "
                "writing and checking"}};
  Json regions = Json::array();
  for (const Lane& lane : lanes_) {
    const DeviceRegion& region = *lane.region;
    regions.push_back({{"device", lane.name},
                       {"bytes", region.bytes()},
                       {"slots", region.slots()},
                       {"slotBytes", region.slot_bytes()},
                       {"passesChecked", lane.checked / region.slots()}});
  }
  json["regions"] = std::move(regions);
  return json;
}

Status Memory::Prepare() {
  try {
    for (const std::string& name : names_) {
      Lane lane;
      lane.name = name;
      lane.region = maker_(spec_.memory_test.size, name);
      lanes_.push_back(std::move(lane));
      Fill(lanes_.back());
    }
    return {};
  } catch (const std::exception& e) {
    return tl::unexpected<Error>(ErrorFrom(e));
  }
}

/// The pass that the first steps compare with. It is compared at once, too: a run that is short for
/// its memory has then at least been everywhere.
void Memory::Fill(Lane& lane) {
  for (std::int64_t slot = 0; slot < lane.region->slots(); ++slot) {
    lane.region->Write(slot, Of(0));
    lane.region->Copy(slot);
  }
  for (std::int64_t slot = 0; slot < lane.region->slots(); ++slot) Check(lane, slot, 0, first_);
}

bool Memory::CanarySeen(Lane& lane) {
  lane.region->FlipOneBit(0);
  const bool seen = lane.region->Fault(0, Of(0)).has_value();
  lane.region->Write(0, Of(0));
  lane.region->Copy(0);
  return seen;
}

Expected<std::vector<Workload::Proof>> Memory::ProveChecks() {
  try {
    Proof proof{"WrongResult", "one bit of the memory changed, on each device", true};
    for (Lane& lane : lanes_) proof.seen = CanarySeen(lane) && proof.seen;
    device_.Synchronize();
    return std::vector<Proof>{proof};
  } catch (const std::exception& e) {
    return tl::unexpected<Error>(ErrorFrom(e));
  }
}

void Memory::Check(Lane& lane, std::int64_t slot, std::int64_t pass, Checked& checked) {
  ++checked.results;
  ++lane.checked;
  const auto fault = lane.region->Fault(slot, Of(pass));
  if (!fault) return;
  ++checked.wrong;
  if (checked.detail.empty()) {
    checked.detail = lane.name + ", pass " + std::to_string(pass + 1) + ": " + *fault;
  }
}

double Memory::Covered() const {
  double least = 1;
  for (const Lane& lane : lanes_) {
    const auto all = static_cast<double>(lane.region->slots()) * static_cast<double>(kPatterns);
    least = std::min(least, static_cast<double>(lane.checked) / all);
  }
  return least;
}

Expected<StepReport> Memory::Step(std::int64_t) {
  try {
    return OneStep();
  } catch (const std::exception& e) {
    return tl::unexpected<Error>(ErrorFrom(e));
  }
}

StepReport Memory::OneStep() {
  StepReport report;
  report.checked = std::exchange(first_, {});
  const BootTime began = clock_.Boot();
  for (Lane& lane : lanes_) {
    Check(lane, lane.slot, lane.pass - 1, report.checked);
    lane.region->Write(lane.slot, Of(lane.pass));
  }
  device_.Synchronize();
  const BootTime written = clock_.Boot();
  for (const Lane& lane : lanes_) lane.region->Copy(lane.slot);
  device_.Synchronize();
  report.latencies_ns = {(clock_.Boot() - written).count()};
  report.aside = written - began;
  for (Lane& lane : lanes_) {
    report.work += 2 * static_cast<double>(lane.region->slot_bytes());  // read and written
    if (++lane.slot < lane.region->slots()) continue;
    lane.slot = 0;
    ++lane.pass;
  }
  report.checked.covered = Covered();
  return report;
}

}  // namespace

std::unique_ptr<Workload> MakeMemory(const contract::Spec& spec, Device& device,
                                     std::vector<std::string> device_names, const Clock& clock,
                                     RegionMaker maker) {
  return std::make_unique<Memory>(spec, device, std::move(device_names), clock, std::move(maker));
}

}  // namespace torchsoak::runner
