#include "operator/app/validate_command.h"

#include <fstream>
#include <iostream>
#include <sstream>

#include "common/contract/verdict.h"
#include "common/spec/load.h"

namespace torchsoak::app {

int ValidateFiles(const std::vector<std::string>& files) {
  int exit = contract::kExitPassed;
  for (const std::string& file : files) {
    std::ifstream in(file);
    std::ostringstream text;
    text << in.rdbuf();
    if (!in) {
      std::cerr << file << ": cannot be read\n";
      exit = contract::kExitUsage;
      continue;
    }
    if (const spec::Loaded loaded = spec::LoadStressTest(text.str()); !loaded) {
      std::cerr << spec::Describe(file, loaded.error());
      exit = contract::kExitUsage;
      continue;
    }
    std::cout << file << ": ok\n";
  }
  return exit;
}

}  // namespace torchsoak::app
