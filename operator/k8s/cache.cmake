# What watches, remembers, elects and reports: included by operator/k8s/CMakeLists.txt.
target_sources(torchsoak_k8s PRIVATE
  cache/informer.cc cache/own_writes.cc cache/scope.cc cache/store.cc
  election/elector.cc election/lease_client.cc election/lease_judge.cc election/watchdog.cc
  events/event_recorder.cc events/event_series.cc
  watch/line_splitter.cc watch/reflector.cc watch/reflector_step.cc watch/watch_event.cc)
