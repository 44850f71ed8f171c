# What every target that sees LibTorch needs. Its headers stay in the target's own sources.
function(torchsoak_torch_target target)
  target_include_directories(${target} SYSTEM PRIVATE ${TORCH_INCLUDE_DIRS})
  target_link_libraries(${target} PRIVATE ${TORCH_LIBRARIES})
  # LibTorch's assertions name its headers; the folder it lies in is nobody's business.
  target_compile_options(${target} PRIVATE
    "$<$<CONFIG:Release>:-ffile-prefix-map=${TORCH_INSTALL_PREFIX}=libtorch>")
  if(TORCH_CXX_FLAGS)
    separate_arguments(flags UNIX_COMMAND "${TORCH_CXX_FLAGS}")
    target_compile_options(${target} PRIVATE ${flags})
  endif()
endfunction()
