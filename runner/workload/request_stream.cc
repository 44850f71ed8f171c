#include "runner/workload/request_stream.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/DeviceAccelerator.h>
#include <ATen/ops/isfinite.h>
#include <c10/core/InferenceMode.h>
#include <c10/core/impl/VirtualGuardImpl.h>

#include <exception>
#include <optional>
#include <utility>

#include "runner/model/samples.h"
#include "runner/workload/errors.h"

namespace torchsoak::runner {

struct RequestStream::Impl {
  Model& model;
  const Clock& clock;
  std::vector<at::Tensor> inputs;
  std::optional<c10::Stream> stream;  ///< of its own on an accelerator
  Tally tally;

  void Request();
};

RequestStream::RequestStream(const contract::InferenceSpec& spec, Model& model,
                             const std::string& device, std::uint64_t seed, const Clock& clock)
    : impl_(new Impl{model, clock, {}, std::nullopt, {}}) {
  at::Generator rng = at::detail::createCPUGenerator(seed);
  const c10::Device where(device);
  impl_->inputs =
      Placed(RandomInputs(TaskOf(spec.model), spec.batch_size, rng), spec.precision, device);
  if (!where.is_cpu()) {
    impl_->stream = c10::impl::VirtualGuardImpl(where.type()).getStreamFromGlobalPool(where, false);
  }
}

RequestStream::~RequestStream() = default;

void RequestStream::Impl::Request() {
  const BootTime before = clock.Boot();
  const at::Tensor answer = model.Forward(inputs);
  if (stream) stream->synchronize();
  const std::int64_t latency = (clock.Boot() - before).count();
  if (at::isfinite(answer).all().item<bool>()) {
    tally.latencies_ns.push_back(latency);
    return;
  }
  ++tally.errors;
  tally.last_error = "the answer holds NaN or infinity";
}

void RequestStream::Run(std::int64_t requests) {
  Impl& impl = *impl_;
  const c10::InferenceMode no_gradients;
  if (impl.stream) at::accelerator::setCurrentStream(*impl.stream);
  for (std::int64_t i = 0; i < requests; ++i) {
    try {
      impl.Request();
    } catch (const std::exception& e) {
      Error error = ErrorFrom(e);
      ++impl.tally.errors;
      if (error.code == ErrorCode::kTooLarge) ++impl.tally.out_of_memory;
      impl.tally.last_error = std::move(error.message);
    }
  }
}

RequestStream::Tally RequestStream::Take() { return std::exchange(impl_->tally, {}); }

}  // namespace torchsoak::runner
