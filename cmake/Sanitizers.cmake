# TORCHSOAK_SANITIZER: empty, "address,undefined" or "thread"; applies to every target of ours.
set(TORCHSOAK_SANITIZER "" CACHE STRING "sanitizers to build with, as given to -fsanitize=")
if(TORCHSOAK_SANITIZER)
  target_compile_options(torchsoak_warnings INTERFACE
    -fsanitize=${TORCHSOAK_SANITIZER} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(torchsoak_warnings INTERFACE -fsanitize=${TORCHSOAK_SANITIZER})
endif()
