#include <torch/csrc/inductor/aoti_package/model_package_loader.h>

#include <cstdlib>

#include "runner/model/file_models.h"
#include "runner/model/model_file.h"

namespace torchsoak::runner {
namespace {

/// How many requests may be inside at once; they share the weights.
constexpr std::size_t kRunners = 8;

class PackagedModel final : public Model {
 public:
  PackagedModel(const std::string& path, const std::string& device)
      : loader_(path, "model", false, kRunners, c10::Device(device).index()) {}

  at::Tensor Forward(const std::vector<at::Tensor>& inputs) override {
    std::vector<at::Tensor> answer = loader_.run(inputs);
    if (answer.empty()) throw ModelFileError("the model answers with nothing");
    return answer.front();
  }

  /// The weights are constants of the compiled program.
  std::vector<at::Tensor> Parameters() const override { return {}; }

  void SetTraining(bool) override {}  // fixed when it was exported

 private:
  torch::inductor::AOTIModelPackageLoader loader_;
};

}  // namespace

std::unique_ptr<Model> LoadAotInductor(const std::string& path, const std::string& device) {
  // Without it a compiled model reads past the end of an input of another shape.
  ::setenv("AOTI_RUNTIME_CHECK_INPUTS", "1", 1);  // NOLINT(concurrency-mt-unsafe): before it reads
  return std::make_unique<PackagedModel>(path, device);
}

}  // namespace torchsoak::runner
