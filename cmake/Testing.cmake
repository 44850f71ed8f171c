# torchsoak_test(NAME SOURCES... LIBS...): one GoogleTest binary of fast tests, no network but loopback.
enable_testing()
include(GoogleTest)
function(torchsoak_test name)
  cmake_parse_arguments(arg "" "" "SOURCES;LIBS" ${ARGN})
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE torchsoak::warnings ${arg_LIBS} GTest::gmock_main)
  gtest_discover_tests(${name} DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT 60
    PROPERTIES TIMEOUT 120 LABELS unit ENVIRONMENT "OMP_NUM_THREADS=1")
endfunction()
