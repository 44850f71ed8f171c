#include <array>

#include "common/spec/twins.h"

namespace torchsoak::spec {
namespace {

constexpr std::string_view kModels =
    "spec.training.model spec.inference.inProcess.model spec.benchmark.model";

// clang-format off
constexpr auto kRules = std::to_array<Rule>({
    {R"(self.metadata.name.matches('^[a-z]([-a-z0-9]*[a-z0-9])?$') && )"
     R"(size(self.metadata.name) <= 40)",
     ".", false, twins::NameIsLabel},
    {R"(!has(oldSelf.status) || !has(oldSelf.status.phase) || oldSelf.status.phase != )"
     R"('Finished' || (has(self.status) && has(self.status.phase) && self.status.phase == )"
     R"('Finished' && has(self.status.verdict) && self.status.verdict == )"
     R"(oldSelf.status.verdict))",
     ".", true, twins::FinishedStaysFinished},
    {R"(has(self.training) == (self.mode == 'Training'))",
     "spec", false, twins::MemberFits<contract::Mode::kTraining>},
    {R"(has(self.inference) == (self.mode == 'Inference'))",
     "spec", false, twins::MemberFits<contract::Mode::kInference>},
    {R"(has(self.benchmark) == (self.mode == 'Benchmark'))",
     "spec", false, twins::MemberFits<contract::Mode::kBenchmark>},
    {R"(!has(self.benchmark) || !(self.benchmark.backend.cudnnBenchmark || )"
     R"(self.benchmark.backend.tf32) || self.gpu.perPod > 0)",
     "spec", false, twins::BackendHasGpu},
    {R"(!has(self.benchmark) || !(has(self.duration) || has(self.maxIterations)))",
     "spec", false, twins::BenchmarkEndsByTimer},
    {R"(!has(self.benchmark) || !has(self.benchmark.timer.minRunTime) || )"
     R"([has(self.timeouts.run) ? self.timeouts.run : '720h', has(self.timeouts.total) ? )"
     R"(self.timeouts.total : '720h'].all(t, duration(t) >= )"
     R"(duration(self.benchmark.timer.minRunTime) + )"
     R"(duration(has(self.warmup) ? self.warmup : '0s')))",
     "spec", false, twins::TimerFitsTimeouts},
    {R"(has(self.gemm) == (self.mode == 'Gemm'))",
     "spec", false, twins::MemberFits<contract::Mode::kGemm>},
    {R"(!has(self.gemm) || self.gemm.precision != 'TF32' || self.gpu.perPod > 0)",
     "spec", false, twins::Tf32HasGpu},
    {R"(has(self.memory) == (self.mode == 'Memory'))",
     "spec", false, twins::MemberFits<contract::Mode::kMemory>},
    {R"(!has(self.memory) || has(self.memory.size) || self.gpu.perPod > 0)",
     "spec", false, twins::MemorySizeIsKnown},
    {R"(has(self.preflight) == (self.mode == 'Preflight'))",
     "spec", false, twins::MemberFits<contract::Mode::kPreflight>},
    {R"(self.mode in ['Training', 'Benchmark', 'Preflight'] || has(self.duration) || has(self.maxIterations))",
     "spec", false, twins::EndIsSaid},
    {R"(self.mode != 'Preflight' || !(has(self.duration) || has(self.maxIterations) || )"
     R"(has(self.warmup)))",
     "spec", false, twins::PreflightHasNoTimes},
    {R"(!has(self.thresholds) || self.mode != 'Preflight' && self.thresholds.all(t, )"
     R"(t.metric in ['memory.allocated', 'memory.peakAllocated'] || t.metric.startsWith('process.') || )"
     R"(t.metric.startsWith(self.mode.substring(0, 1).lowerAscii() + self.mode.substring(1) + '.')))",
     "spec", false, twins::MetricsFitMode},
    {R"(!has(self.resources) || !has(self.resources.extended) || )"
     R"(!self.resources.extended.exists(k, k == self.gpu.resourceName || )"
     R"(k.matches('^(nvidia[.]com/(gpu|mig-)|amd[.]com/gpu|gpu[.]intel[.]com/)')))",
     "spec", false, twins::GpuNotInExtended},
    {R"(!has(self.timeouts.run) || !has(self.duration) || has(self.maxIterations) || )"
     R"((has(self.training) && has(self.training.epochs)) || duration(self.timeouts.run) >= )"
     R"(duration(self.duration) + duration(has(self.warmup) ? self.warmup : '0s'))",
     "spec", false, twins::RunTimeoutIsEnough},
    {R"(!has(self.timeouts.total) || !has(self.timeouts.run) || duration(self.timeouts.total) >= )"
     R"(duration(self.timeouts.run))",
     "spec", false, twins::TotalHoldsRun},
    {R"(!has(self.timeouts.total) || !has(self.duration) || has(self.maxIterations) || )"
     R"((has(self.training) && has(self.training.epochs)) || duration(self.timeouts.total) >= )"
     R"(duration(self.duration) + duration(has(self.warmup) ? self.warmup : '0s'))",
     "spec", false, twins::TotalTimeoutIsEnough},
    {R"(has(self.duration) == has(oldSelf.duration) && has(self.maxIterations) == )"
     R"(has(oldSelf.maxIterations) && has(self.warmup) == has(oldSelf.warmup) && )"
     R"(has(self.thresholds) == has(oldSelf.thresholds) && has(self.resources) == )"
     R"(has(oldSelf.resources) && has(self.pod) == has(oldSelf.pod) && has(self.image) == )"
     R"(has(oldSelf.image))",
     "spec", true, twins::SameMembers},
    {R"(!oldSelf.abort || self.abort)",
     "spec", true, twins::AbortStays},
    {R"(self == oldSelf)",
     "spec.mode spec.training spec.inference spec.benchmark spec.gemm spec.memory spec.preflight "
     "spec.duration spec.maxIterations spec.warmup spec.seed spec.gpu spec.resources spec.pod "
     "spec.thresholds spec.image", true, twins::Unchanged},
    {R"(!self.amp || self.precision != 'FP32')",
     "spec.training", false, twins::AmpHasPrecision},
    {R"(self.accumulationSteps <= self.samplesPerEpoch)",
     "spec.training", false, twins::AccumulationFits},
    {R"(double(self) > 0.0 && double(self) <= 100.0)",
     "spec.training.learningRate", false, twins::RateInRange},
    {R"((has(self.builtin) || has(self.params) ? 1 : 0) + (has(self.torchScript) ? 1 : 0) )"
     R"(+ (has(self.aotInductor) ? 1 : 0) <= 1)",
     kModels, false, twins::OneModel},
    {R"(!has(self.params) || self.?builtin.orValue('MLP') == 'MLP' || )"
     R"(!(has(self.params.inputs) || has(self.params.outputs)))",
     kModels, false, twins::SizesFit<twins::kMlpSizes>},
    {R"(!has(self.params) || self.?builtin.orValue('MLP') in ['MLP', 'BERTBase', 'GPT'] )"
     R"(|| !(has(self.params.hidden) || has(self.params.layers) || )"
     R"(has(self.params.dropout)))",
     kModels, false, twins::SizesFit<twins::kLayerSizes>},
    {R"(!has(self.params) || self.?builtin.orValue('MLP') == 'ConvNet' || )"
     R"(!(has(self.params.channels) || has(self.params.kernel) || has(self.params.stride)))",
     kModels, false, twins::SizesFit<twins::kConvolutionSizes>},
    {R"(!has(self.params) || self.?builtin.orValue('MLP') in ['ConvNet', 'ResNet18', )"
     R"('ResNet50'] || !has(self.params.imageSize))",
     kModels, false, twins::SizesFit<twins::kImageSizes>},
    {R"(!has(self.params) || self.?builtin.orValue('MLP') in ['ConvNet', 'ResNet18', )"
     R"('ResNet50', 'BERTBase'] || !has(self.params.classes))",
     kModels, false, twins::SizesFit<twins::kClassSizes>},
    {R"(!has(self.params) || self.?builtin.orValue('MLP') in ['BERTBase', 'GPT'] || )"
     R"(!(has(self.params.heads) || has(self.params.sequence) || )"
     R"(has(self.params.vocabulary)))",
     kModels, false, twins::SizesFit<twins::kTokenSizes>},
    {R"(!has(self.params) || self.?builtin.orValue('MLP') == 'DLRM' || )"
     R"(!(has(self.params.dense) || has(self.params.tables) || has(self.params.rows) || )"
     R"(has(self.params.embedding)))",
     kModels, false, twins::SizesFit<twins::kTableSizes>},
    {R"(!has(self.params) || !(self.?builtin.orValue('MLP') in ['BERTBase', 'GPT']) || )"
     R"((has(self.params.hidden) ? self.params.hidden : 768) % (has(self.params.heads) ? )"
     R"(self.params.heads : 12) == 0)",
     kModels, false, twins::HeadsDivide},
    {R"(!has(self.params) || self.?builtin.orValue('MLP') != 'ConvNet' || )"
     R"((has(self.params.kernel) ? self.params.kernel : 7) <= (has(self.params.imageSize) )"
     R"(? self.params.imageSize : 224))",
     kModels, false, twins::KernelFits},
    {R"(!self.endsWith('.pth'))",
     "spec.training.model.torchScript.path spec.training.model.aotInductor.path "
     "spec.benchmark.model.torchScript.path spec.benchmark.model.aotInductor.path "
     "spec.inference.inProcess.model.torchScript.path "
     "spec.inference.inProcess.model.aotInductor.path", false, twins::NoPickle},
    {R"(!has(self.below) || self.type != 'FP32')",
     "spec.training.model.torchScript.inputs[] spec.training.model.aotInductor.inputs[] "
     "spec.benchmark.model.torchScript.inputs[] spec.benchmark.model.aotInductor.inputs[] "
     "spec.inference.inProcess.model.torchScript.inputs[] "
     "spec.inference.inProcess.model.aotInductor.inputs[]", false, twins::BelowIsForWholeNumbers},
    {R"(!has(self.model.aotInductor))",
     "spec.training", false, twins::CanBeTrained},
    {R"(!has(self.model.torchScript) || has(self.model.torchScript.classes))",
     "spec.training", false, twins::ClassesAreKnown},
    {R"(!has(self.gradMode) || self.measure == 'Forward')",
     "spec.benchmark", false, twins::GradModeFits},
    {R"(self.measure == 'Forward' || !has(self.model.aotInductor))",
     "spec.benchmark", false, twins::MeasuredCanBeTrained},
    {R"(self.measure == 'Forward' || !has(self.model.torchScript) || )"
     R"(has(self.model.torchScript.classes))",
     "spec.benchmark", false, twins::MeasuredClassesAreKnown},
    {R"(!self.backend.tf32 || self.precision == 'FP32')",
     "spec.benchmark", false, twins::Tf32IsFp32},
    {R"(!has(self.number) || self.method == 'Timeit')",
     "spec.benchmark.timer", false, twins::NumberFits},
    {R"(!has(self.minRunTime) || self.method != 'Timeit')",
     "spec.benchmark.timer", false, twins::MinRunTimeFits},
    {R"(!(has(self.maxRunTime) || has(self.threshold)) || self.method == 'AdaptiveAutorange')",
     "spec.benchmark.timer", false, twins::AdaptiveMembersFit},
    {R"(self.method != 'AdaptiveAutorange' || duration(has(self.minRunTime) ? self.minRunTime : )"
     R"('10ms') <= duration(has(self.maxRunTime) ? self.maxRunTime : '10s'))",
     "spec.benchmark.timer", false, twins::RunTimesFit},
    {R"(duration(self) > duration('0s') && duration(self) <= duration('1h'))",
     "spec.benchmark.timer.minRunTime spec.benchmark.timer.maxRunTime", false, twins::AtMostAnHour},
    {R"(double(self) > 0.0 && double(self) <= 1.0)",
     "spec.benchmark.timer.threshold", false, twins::ShareInRange},
    {R"(has(self.inProcess) == (self.target == 'InProcess'))",
     "spec.inference", false, twins::TargetHasMember},
    {R"(duration(self) > duration('0s') && duration(self) <= duration('720h'))",
     "spec.duration spec.warmup spec.timeouts.scheduling spec.timeouts.startup "
     "spec.timeouts.run spec.timeouts.stall spec.timeouts.total "
     "spec.retention.ttlAfterPassed spec.retention.ttlAfterFailed", false, twins::DurationInRange},
    {R"(isQuantity(self) && quantity(self).isGreaterThan(quantity('0')) && )"
     R"(!quantity(self).isGreaterThan(quantity('1Pi')))",
     "spec.resources.cpu spec.resources.memory spec.pod.volumes[].emptyDir.sizeLimit "
     "spec.pod.shmSize", false, twins::QuantityInRange},
    {R"(isQuantity(self) && !quantity(self).isLessThan(quantity('64Mi')) && )"
     R"(!quantity(self).isGreaterThan(quantity('4Ti')))",
     "spec.memory.size", false, twins::MemorySizeInRange},
    {R"(!has(self.extended) || has(self.cpu) || has(self.memory) || !self.extended.exists(k, )"
     R"(k.startsWith('hugepages-')))",
     "spec.resources", false, twins::HugepagesHaveCompany},
    {R"(self.all(k, size(k) <= 253 && (k.startsWith('hugepages-') || )"
     R"(k.matches('^[a-z0-9]([-a-z0-9.]*[a-z0-9])?/[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$'))"
     R"()))",
     "spec.resources.extended", false, twins::ExtendedNames},
    {R"(self.all(k, k.startsWith('hugepages-') || self[k].matches('^[1-9][0-9]*$')))",
     "spec.resources.extended", false, twins::ExtendedWhole},
    {R"(self.matches('^torchsoak-'))",
     "spec.pod.imagePullSecrets[].name", false, twins::SecretName},
    {R"(self.all(k, k.indexOf('/') <= 253 && )"
     R"(k.matches('^([a-z0-9]([-a-z0-9]*[a-z0-9])?([.][a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?)"
     R"([A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$')))",
     "spec.pod.nodeSelector spec.pod.labels spec.pod.annotations", false, twins::LabelKeys},
    {R"(self.all(k, !k.startsWith('torchsoak.dev/') && !k.startsWith('app.kubernetes.io/') && )"
     R"(!k.startsWith('batch.kubernetes.io/') && !(k in ['job-name', 'controller-uid'])))",
     "spec.pod.labels", false, twins::LabelsAreFree},
    {R"(!self.startsWith('TORCHSOAK_') && !self.endsWith('_VISIBLE_DEVICES') && self != )"
     R"('GPU_DEVICE_ORDINAL' && (!self.startsWith('NVIDIA_') || self == 'NVIDIA_TF32_OVERRIDE'))",
     "spec.pod.env[].name", false, twins::EnvIsFree},
    {R"((has(self.configMap) ? 1 : 0) + (has(self.persistentVolumeClaim) ? 1 : 0) + )"
     R"((has(self.emptyDir) ? 1 : 0) == 1)",
     "spec.pod.volumes[]", false, twins::OneVolumeSource},
    {R"(!self.startsWith('torchsoak-'))",
     "spec.pod.volumes[].name", false, twins::VolumeNameIsFree},
    {R"(!has(self.volumeMounts) || self.volumeMounts.all(m, has(self.volumes) && )"
     R"(self.volumes.exists(v, v.name == m.name)))",
     "spec.pod", false, twins::MountsHaveVolumes},
    {R"(self != '/tmp' && !(self + '/').matches('^/(dev|proc|sys)/'))",
     "spec.pod.volumeMounts[].mountPath", false, twins::MountIsFree},
    {R"(has(self.min) || has(self.max))",
     "spec.thresholds[]", false, twins::HasBound},
    {R"(!has(self.min) || !has(self.max) || [[self.min, self.max].map(b, )"
     R"(double(b.find('^-?[0-9.]+')) * {'m': 60.0, 'h': 3600.0, 'KiB': 1024.0, 'MiB': 1048576.0, )"
     R"('GiB': 1073741824.0, 'TiB': 1099511627776.0, 'MFLOP/s': 1e6, 'GFLOP/s': 1e9, )"
     R"('TFLOP/s': 1e12, 'PFLOP/s': 1e15, 'MB/s': 1e6, 'GB/s': 1e9, 'TB/s': 1e12}[?b.find('[^0-9]*$')].orValue(1.0) / )"
     R"({'ns': 1e9, 'us': 1e6, 'ms': 1e3, '%': 100.0}[?b.find('[^0-9]*$')].orValue(1.0))])"
     R"(.all(v, v[0] <= v[1]))",
     "spec.thresholds[]", false, twins::MinBelowMax},
    {R"(!(self.metric.endsWith('Time') || self.metric.endsWith('.latency')) || )"
     R"(((!has(self.min) || self.min.matches('^[0-9]+([.][0-9]+)?(ns|us|ms|s|m|h)$')) && )"
     R"((!has(self.max) || self.max.matches('^[0-9]+([.][0-9]+)?(ns|us|ms|s|m|h)$'))))",
     "spec.thresholds[]", false, twins::TimeBound},
    {R"(!(self.metric in ['memory.allocated', 'memory.peakAllocated', 'process.rss', )"
     R"('process.rssAnon']) || )"
     R"(((!has(self.min) || self.min.matches('^[0-9]+([.][0-9]+)?(B|KiB|MiB|GiB|TiB)$')) && )"
     R"((!has(self.max) || self.max.matches('^[0-9]+([.][0-9]+)?(B|KiB|MiB|GiB|TiB)$'))))",
     "spec.thresholds[]", false, twins::MemoryBound},
    {R"(!self.metric.endsWith('.samplesPerSecond') || )"
     R"(((!has(self.min) || self.min.matches('^[0-9]+([.][0-9]+)?(/s)?$')) && (!has(self.max) )"
     R"(|| self.max.matches('^[0-9]+([.][0-9]+)?(/s)?$'))))",
     "spec.thresholds[]", false, twins::RateBound},
    {R"(!self.metric.endsWith('.flopsPerSecond') || )"
     R"(((!has(self.min) || self.min.matches('^[0-9]+([.][0-9]+)?[MGTP]FLOP/s$')) && )"
     R"((!has(self.max) || self.max.matches('^[0-9]+([.][0-9]+)?[MGTP]FLOP/s$'))))",
     "spec.thresholds[]", false, twins::ComputingBound},
    {R"(!self.metric.endsWith('.bytesPerSecond') || )"
     R"(((!has(self.min) || self.min.matches('^[0-9]+([.][0-9]+)?[MGT]B/s$')) && )"
     R"((!has(self.max) || self.max.matches('^[0-9]+([.][0-9]+)?[MGT]B/s$'))))",
     "spec.thresholds[]", false, twins::BandwidthBound},
    {R"(!self.metric.endsWith('Rate') || ((!has(self.min) || )"
     R"(self.min.matches('^[0-9]+([.][0-9]+)?%$')) && (!has(self.max) || )"
     R"(self.max.matches('^[0-9]+([.][0-9]+)?%$'))))",
     "spec.thresholds[]", false, twins::ErrorRateBound},
    {R"(!(self.metric.endsWith('.loss') || self.metric in ['process.descriptors', )"
     R"('process.threads']) || ((!has(self.min) || )"
     R"(self.min.matches('^-?[0-9]+([.][0-9]+)?$')) && (!has(self.max) || )"
     R"(self.max.matches('^-?[0-9]+([.][0-9]+)?$'))))",
     "spec.thresholds[]", false, twins::LossBound},
    {R"(!has(self.statistic) || (self.metric.endsWith('.stepTime') || )"
     R"(self.metric.endsWith('.latency') ? !(self.statistic in ['P10', 'Last']) : )"
     R"(self.metric.endsWith('.epochTime') ? self.statistic in ['Mean', 'Min', 'Max', 'Last'] : )"
     R"(self.metric.endsWith('.loss') ? self.statistic in ['Last', 'Min', 'Max'] : )"
     R"(self.metric.endsWith('PerSecond') ? self.statistic in ['Mean', 'Min', 'P10', 'P50'] : )"
     R"(self.metric.endsWith('Rate') ? self.statistic == 'Mean' : self.statistic in )"
     R"(['Last', 'Max']))",
     "spec.thresholds[]", false, twins::StatisticFits},
});
// clang-format on

}  // namespace

std::span<const Rule> Rules() { return kRules; }

}  // namespace torchsoak::spec
