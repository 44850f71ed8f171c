#pragma once
// What the kernel says about this process, from /proc/self.

namespace torchsoak::runtime {

struct ProcessFigures {
  double resident_bytes = 0;
  double virtual_bytes = 0;
  double threads = 0;
  double open_files = 0;
  double max_files = 0;
  double cpu_seconds = 0;
};

/// Whatever cannot be read stays 0. Any thread.
ProcessFigures ReadProcessFigures();

}  // namespace torchsoak::runtime
