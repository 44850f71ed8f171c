#pragma once
// Keeps a sink equal to one kind in one namespace: a list, then watches, for ever.
//
// A thin loop around Step (reflector_step.h): it makes the calls, feeds the answers in, and does
// what comes out.

#include <functional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/clock.h"
#include "common/base/json.h"
#include "operator/k8s/client.h"
#include "operator/k8s/resource.h"
#include "operator/k8s/watch/line_splitter.h"
#include "operator/k8s/watch/reflector_step.h"

namespace torchsoak::k8s {

/// Where the objects go. Called one at a time, on Run's thread or (while a watch is open) on the
/// transport's: must be quick and must not throw.
class ReflectorSink {
 public:
  virtual ~ReflectorSink() = default;
  virtual void KeepPage(std::vector<Json>&& items) = 0;
  virtual void DropPages() = 0;
  /// All pages kept so far are the whole, as of `version`: make it so at once, then tell.
  virtual void Replace(const ResourceVersion& version) = 0;
  virtual void Upsert(Json&& object, const ResourceVersion& version) = 0;
  virtual void Erase(Json&& object, const ResourceVersion& version) = 0;
  virtual void Advance(const ResourceVersion& version) = 0;
  /// A sign of life: event, bookmark, list, or an attempt that failed.
  virtual void OnProgress() = 0;
  virtual void OnRestart(RestartCause cause, const std::string& detail) = 0;
};

class Reflector {
 public:
  struct Target {
    ResourceType type;
    std::string ns;  ///< "" = all
    std::string label_selector;
  };

  /// `random` returns a number in [0, 1). All references must outlive the reflector.
  Reflector(Target target, Client& client, Clock& clock, ReflectorSink& sink,
            std::function<double()> random);

  /// Blocks until `stop`.
  void Run(std::stop_token stop);

 private:
  ReflectorEffects List(const ReflectorEffects& ask, std::stop_token stop);
  ReflectorEffects Watch(const ReflectorEffects& ask, std::stop_token stop);
  bool OnPiece(LineSplitter& lines, std::string_view piece);
  bool OnLine(std::string_view line);
  ReflectorEffects Take(const ReflectorInput& input);

  const Target target_;
  Client& client_;
  Clock& clock_;
  ReflectorSink& sink_;
  const std::function<double()> random_;
  ReflectorState state_;
};

}  // namespace torchsoak::k8s
