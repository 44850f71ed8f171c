# torchsoak_test(NAME SOURCES... LIBS...): one GoogleTest binary of fast tests, no network but loopback.
#
# One ctest entry a binary, not one a case: starting a process (and LibTorch) for each of hundreds of
# cases would take longer than the cases.
enable_testing()
function(torchsoak_test name)
  cmake_parse_arguments(arg "" "" "SOURCES;LIBS" ${ARGN})
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE torchsoak::warnings ${arg_LIBS} GTest::gmock_main)
  add_test(NAME ${name} COMMAND ${name} --gtest_brief=1)
  set_tests_properties(${name} PROPERTIES TIMEOUT 300 LABELS unit ENVIRONMENT "OMP_NUM_THREADS=1")
endfunction()
