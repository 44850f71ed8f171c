#include "runner/workload/gemm.h"

#include <exception>
#include <utility>

#include "runner/workload/errors.h"

namespace torchsoak::runner {
namespace {

/// A device with its matrices and what its first products showed.
struct Lane {
  std::string name;
  std::string model;
  std::unique_ptr<DeviceProduct> product;
  Golden golden;
  Fingerprint print;  ///< of the golden product
};

class Gemm final : public Workload {
 public:
  Gemm(const contract::Spec& spec, Device& device, std::vector<std::string> names,
       const Clock& clock, ProductMaker maker)
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
  void Build();
  void MakeGolden();
  void Multiply();
  StepReport OneStep();
  void Check(Lane& lane, Checked& checked);
  double FlopsOfOne() const;

  const contract::Spec spec_;
  Device& device_;
  std::vector<std::string> names_;
  const Clock& clock_;
  ProductMaker maker_;
  std::vector<Lane> lanes_;
  bool told_ = false;  ///< what the golden products showed is in a report
  std::int64_t multiplied_ = 0;
};

double Gemm::FlopsOfOne() const {
  const auto n = static_cast<double>(spec_.gemm.size);
  return 2 * n * n * n;
}

Json Gemm::Describe() const {
  Json json = {{"kind", "Gemm"},
               {"size", spec_.gemm.size},
               {"precision", contract::ToString(spec_.gemm.precision)},
               {"devices", names_},
               {"flopsPerProduct", FlopsOfOne()},
               {"stepIncludes", "one product on each device, device wait; not its check"}};
  Json golden = Json::object();
  for (const Lane& lane : lanes_) {
    if (lane.golden.pass) golden[lane.name] = ToString(lane.print);
  }
  json["fingerprints"] = std::move(golden);
  return json;
}

Status Gemm::Prepare() {
  try {
    Build();
    MakeGolden();
    return {};
  } catch (const std::exception& e) {
    return tl::unexpected<Error>(ErrorFrom(e));
  }
}

void Gemm::Build() {
  for (std::size_t i = 0; i < names_.size(); ++i) {
    Lane lane;
    lane.name = names_[i];
    if (i < device_.accelerators().size()) lane.model = device_.accelerators()[i].name;
    lane.product = maker_(spec_.gemm, spec_.seed, lane.name);
    lanes_.push_back(std::move(lane));
  }
}

void Gemm::Multiply() {
  for (const Lane& lane : lanes_) lane.product->Launch();
  device_.Synchronize();
}

void Gemm::MakeGolden() {
  const auto reference = MakeReference(spec_.gemm, spec_.seed);
  std::vector<Passes> shown;
  for (const Lane& lane : lanes_) shown.push_back({lane.name, lane.model, {}});
  for (std::size_t pass = 0; pass < kPasses; ++pass) {
    Multiply();
    for (std::size_t i = 0; i < lanes_.size(); ++i) {
      DeviceProduct& product = *lanes_[i].product;
      shown[i].passes[pass] = {product.Note(), product.FaultOf(*reference)};
    }
  }
  const std::vector<Golden> golden = ChooseGolden(shown);
  for (std::size_t i = 0; i < lanes_.size(); ++i) {
    Lane& lane = lanes_[i];
    lane.golden = golden[i];
    if (!lane.golden.pass) continue;
    lane.print = shown[i].passes[*lane.golden.pass].print;
    lane.product->Choose(*lane.golden.pass);
  }
}

Expected<std::vector<Workload::Proof>> Gemm::ProveChecks() {
  try {
    Proof proof{"WrongResult", "one bit of a product changed, on each device", true};
    for (const Lane& lane : lanes_) {
      if (!lane.golden.pass) continue;
      lane.product->FlipOneBit();
      if (!lane.product->Difference()) proof.seen = false;
    }
    Multiply();
    return std::vector<Proof>{proof};
  } catch (const std::exception& e) {
    return tl::unexpected<Error>(ErrorFrom(e));
  }
}

Expected<StepReport> Gemm::Step(std::int64_t) {
  try {
    return OneStep();
  } catch (const std::exception& e) {
    return tl::unexpected<Error>(ErrorFrom(e));
  }
}

StepReport Gemm::OneStep() {
  const BootTime before = clock_.Boot();
  Multiply();
  const BootTime multiplied = clock_.Boot();
  ++multiplied_;
  StepReport report;
  report.work = FlopsOfOne() * static_cast<double>(lanes_.size());
  report.latencies_ns = {(multiplied - before).count()};
  for (Lane& lane : lanes_) Check(lane, report.checked);
  told_ = true;
  report.aside = clock_.Boot() - multiplied;
  return report;
}

void Gemm::Check(Lane& lane, Checked& checked) {
  if (!told_ && lane.golden.state == Golden::State::kWrong) {
    ++checked.results;
    ++checked.wrong;
    checked.detail = lane.golden.detail;
  }
  if (!lane.golden.pass) {
    ++checked.unchecked;
    if (checked.detail.empty()) checked.detail = lane.golden.detail;
    return;
  }
  ++checked.results;
  const auto difference = lane.product->Difference();
  if (!difference) return;
  ++checked.wrong;
  lane.product->Launch();
  device_.Synchronize();
  const bool again = lane.product->Difference().has_value();
  checked.detail = lane.name + ": product " + std::to_string(multiplied_) +
                   " has other bits than the golden one: " + *difference +
                   (again ? "; made again, it is wrong again" : "; made again, it is right");
}

}  // namespace

std::unique_ptr<Workload> MakeGemm(const contract::Spec& spec, Device& device,
                                   std::vector<std::string> device_names, const Clock& clock,
                                   ProductMaker maker) {
  return std::make_unique<Gemm>(spec, device, std::move(device_names), clock, std::move(maker));
}

}  // namespace torchsoak::runner
