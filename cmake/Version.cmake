# torchsoak::version: PROJECT_VERSION and the git commit, for --version and User-Agent.
set(TORCHSOAK_COMMIT "" CACHE STRING "git commit written into the binaries; empty asks git")
if(NOT TORCHSOAK_COMMIT)
  execute_process(COMMAND git rev-parse --short=12 HEAD
    WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}"
    OUTPUT_VARIABLE _commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
else()
  set(_commit "${TORCHSOAK_COMMIT}")
endif()
configure_file("${PROJECT_SOURCE_DIR}/common/base/version.cc.in"
  "${PROJECT_BINARY_DIR}/generated/version.cc" @ONLY)
