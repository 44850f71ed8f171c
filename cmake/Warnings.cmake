# torchsoak::warnings: what every target of ours compiles with.
add_library(torchsoak_warnings INTERFACE)
add_library(torchsoak::warnings ALIAS torchsoak_warnings)
target_compile_features(torchsoak_warnings INTERFACE cxx_std_20)
target_include_directories(torchsoak_warnings INTERFACE "${PROJECT_SOURCE_DIR}")
target_compile_options(torchsoak_warnings INTERFACE
  -Wall -Wextra -Werror -Wno-missing-field-initializers
  # No path of the building machine in the binaries.
  "-ffile-prefix-map=${PROJECT_SOURCE_DIR}=.")

# The everyday build type: quick to compile, asserts on, line numbers in stack traces.
set(CMAKE_CXX_FLAGS_DEV "-O1 -g1" CACHE STRING "flags of build type Dev" FORCE)
set(CMAKE_EXE_LINKER_FLAGS_DEV "" CACHE STRING "" FORCE)
set(CMAKE_CXX_EXTENSIONS OFF)
