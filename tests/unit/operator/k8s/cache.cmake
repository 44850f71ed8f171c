# Tests of watch, cache, election and events: included by this folder's CMakeLists.txt.
set(_cache_tests "${CMAKE_CURRENT_LIST_DIR}")
torchsoak_test(k8s_watch_test
  SOURCES
    "${_cache_tests}/watch/line_splitter_test.cc"
    "${_cache_tests}/watch/reflector_step_test.cc"
    "${_cache_tests}/watch/reflector_test.cc"
    "${_cache_tests}/watch/watch_event_test.cc"
  LIBS torchsoak::k8s torchsoak::fakes)
torchsoak_test(k8s_cache_test
  SOURCES
    "${_cache_tests}/cache/informer_deaf_test.cc"
    "${_cache_tests}/cache/informer_test.cc"
    "${_cache_tests}/cache/own_writes_test.cc"
    "${_cache_tests}/cache/store_test.cc"
  LIBS torchsoak::k8s torchsoak::fakes)
torchsoak_test(k8s_election_test
  SOURCES
    "${_cache_tests}/election/elector_test.cc"
    "${_cache_tests}/election/lease_judge_test.cc"
    "${_cache_tests}/election/watchdog_test.cc"
  LIBS torchsoak::k8s torchsoak::fakes)
torchsoak_test(k8s_events_test
  SOURCES
    "${_cache_tests}/events/doorbell_test.cc"
    "${_cache_tests}/events/event_recorder_test.cc"
    "${_cache_tests}/events/event_series_test.cc"
  LIBS torchsoak::k8s torchsoak::fakes)
