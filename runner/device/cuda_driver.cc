#include "runner/device/cuda_driver.h"

#include <dlfcn.h>

#include <array>
#include <cstdio>
#include <fstream>
#include <sstream>

namespace torchsoak::runner {
namespace {

// The driver API's types and signatures, as its documentation fixes them.
struct Uuid {
  std::array<unsigned char, 16> bytes;
};
using Init = int (*)(unsigned);
using DeviceGet = int (*)(int*, int);
using GetName = int (*)(char*, int, int);
using GetUuid = int (*)(Uuid*, int);
using GetVersion = int (*)(int*);

struct Driver {
  DeviceGet device_get = nullptr;
  GetName name = nullptr;
  GetUuid uuid = nullptr;
  GetVersion version = nullptr;
};

template <typename F>
F Symbol(void* library, const char* name) {
  return reinterpret_cast<F>(dlsym(library, name));
}

const Driver& LoadedDriver() {
  static const Driver kDriver = [] {
    Driver driver;
    void* library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) return driver;
    const auto init = Symbol<Init>(library, "cuInit");
    if (init == nullptr || init(0) != 0) return driver;
    driver.device_get = Symbol<DeviceGet>(library, "cuDeviceGet");
    driver.name = Symbol<GetName>(library, "cuDeviceGetName");
    driver.uuid = Symbol<GetUuid>(library, "cuDeviceGetUuid_v2");  // v2 knows MIG
    driver.version = Symbol<GetVersion>(library, "cuDriverGetVersion");
    return driver;
  }();
  return kDriver;
}

std::string UuidText(const Uuid& uuid) {
  std::string text = "GPU-";
  for (std::size_t i = 0; i < uuid.bytes.size(); ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    char hex[3];
    std::snprintf(hex, sizeof hex, "%02x", uuid.bytes[i]);
    text += hex;
  }
  return text;
}

}  // namespace

DeviceFacts CudaFacts(int index) {
  const Driver& driver = LoadedDriver();
  DeviceFacts facts;
  int device = 0;
  if (driver.device_get == nullptr || driver.device_get(&device, index) != 0) return facts;
  std::array<char, 256> name{};
  if (driver.name != nullptr &&
      driver.name(name.data(), static_cast<int>(name.size()) - 1, device) == 0) {
    facts.name = name.data();
  }
  Uuid uuid{};
  if (driver.uuid != nullptr && driver.uuid(&uuid, device) == 0) facts.uuid = UuidText(uuid);
  if (facts.uuid.size() > 4 && facts.name.find(" MIG ") != std::string::npos) {
    facts.uuid.replace(0, 3, "MIG");
  }
  return facts;
}

std::string CudaDriverVersion() {
  // "NVRM version: NVIDIA UNIX x86_64 Kernel Module  580.65.06  …"
  std::ifstream file("/proc/driver/nvidia/version");
  std::string line;
  std::getline(file, line);
  std::istringstream words(line);
  for (std::string word; words >> word;) {
    if (!word.empty() && word.find('.') != std::string::npos &&
        word.find_first_not_of("0123456789.") == std::string::npos) {
      return word;
    }
  }
  const Driver& driver = LoadedDriver();
  int version = 0;
  if (driver.version == nullptr || driver.version(&version) != 0) return "";
  return "CUDA " + std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

}  // namespace torchsoak::runner
