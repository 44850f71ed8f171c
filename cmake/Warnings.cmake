# torchsoak::warnings: what every target of ours compiles with.
option(TORCHSOAK_WERROR "warnings are errors; switch off for a compiler other than GCC 12" ON)
add_library(torchsoak_warnings INTERFACE)
add_library(torchsoak::warnings ALIAS torchsoak_warnings)
target_compile_features(torchsoak_warnings INTERFACE cxx_std_20)
target_include_directories(torchsoak_warnings INTERFACE "${PROJECT_SOURCE_DIR}")
target_compile_options(torchsoak_warnings INTERFACE
  -Wall -Wextra $<$<BOOL:${TORCHSOAK_WERROR}>:-Werror> -Wno-missing-field-initializers
  # GCC 12 sees overlapping copies in std::string where there are none (GCC bug 105651), at -O3 only.
  $<$<CONFIG:Release>:-Wno-restrict>
  # No path of the building machine in what is shipped; elsewhere the flag, which names the folder,
  # would keep clones from sharing the compiler's results.
  "$<$<CONFIG:Release>:-ffile-prefix-map=${PROJECT_SOURCE_DIR}=.>")

# The everyday build type: quick to compile, asserts on, line numbers in stack traces.
set(CMAKE_CXX_FLAGS_DEV "-O1 -g1" CACHE STRING "flags of build type Dev" FORCE)
set(CMAKE_EXE_LINKER_FLAGS_DEV "" CACHE STRING "" FORCE)
set(CMAKE_CXX_EXTENSIONS OFF)
