#include "operator/k8s/cache/informer.h"

#include <pthread.h>

#include <algorithm>
#include <mutex>
#include <random>
#include <thread>
#include <utility>

#include "operator/k8s/cache/scope.h"
#include "operator/k8s/cache/store.h"
#include "operator/k8s/watch/reflector.h"

namespace torchsoak::k8s {
namespace {

/// Jitter need not be unforeseeable, only different in each process.
std::function<double()> SeededByClock(const Clock& clock) {
  struct Generator {
    std::mutex mutex;
    std::mt19937_64 engine;
  };
  auto generator = std::make_shared<Generator>();
  const auto wall = clock.Wall().time_since_epoch().count();
  generator->engine.seed(static_cast<std::uint64_t>(clock.Boot().count() ^ (wall << 20)));
  return [generator] {
    const std::lock_guard lock(generator->mutex);
    return std::generate_canonical<double, 32>(generator->engine);
  };
}

InformerOptions Complete(InformerOptions options, const Clock& clock) {
  if (options.namespaces.empty()) options.namespaces.emplace_back();
  if (!options.random) options.random = SeededByClock(clock);
  return options;
}

class ReflectingInformer final : public Informer {
 public:
  ReflectingInformer(InformerOptions options, Client& client, Clock& clock)
      : options_(Complete(std::move(options), clock)),
        client_(client),
        clock_(clock),
        store_(options_.keep_deleted) {
    for (const std::string& ns : options_.namespaces) {
      scopes_.push_back(std::make_unique<Scope>(
          ns, options_, store_, clock_,
          [this](const std::vector<Change>& changes) { Deliver(changes); }));
    }
  }

  void OnChange(std::function<void(const Change&)> handler) override {
    handlers_.push_back(std::move(handler));
  }

  void Run(std::stop_token stop) override {
    std::vector<std::jthread> others;
    for (std::size_t i = 1; i < scopes_.size(); ++i) {
      others.emplace_back([this, stop, i] {
        const std::string name = "watch-" + options_.type.plural;
        pthread_setname_np(pthread_self(), name.substr(0, 15).c_str());
        Reflect(*scopes_[i], stop);
      });
    }
    Reflect(*scopes_.front(), stop);
  }

  bool Synced() const override {
    return std::all_of(scopes_.begin(), scopes_.end(), [](const auto& s) { return s->Synced(); });
  }

  ObjectPtr Get(const ObjectKey& key) const override { return store_.Get(key); }
  std::vector<ObjectPtr> ByIndex(const std::string& value) const override {
    return store_.ByIndex(value);
  }
  std::vector<ObjectPtr> All() const override { return store_.All(); }
  std::vector<ObjectPtr> DeletedByIndex(const std::string& value) const override {
    return store_.DeletedByIndex(value, clock_.Boot());
  }

  bool Reached(const std::string& ns, const ResourceVersion& version) const override {
    return std::any_of(scopes_.begin(), scopes_.end(), [&](const auto& scope) {
      return (scope->ns().empty() || scope->ns() == ns) && scope->Reached(version);
    });
  }

  BootTime LastProgress() const override {
    BootTime oldest = scopes_.front()->LastProgress();
    for (const auto& scope : scopes_) oldest = std::min(oldest, scope->LastProgress());
    return oldest;
  }

 private:
  void Reflect(Scope& scope, std::stop_token stop) {
    Reflector reflector({options_.type, scope.ns(), options_.label_selector}, client_, clock_,
                        scope, options_.random);
    reflector.Run(stop);
  }

  void Deliver(const std::vector<Change>& changes) {
    if (changes.empty()) return;
    const std::lock_guard lock(deliver_mutex_);
    for (const Change& change : changes) {
      for (const auto& handler : handlers_) handler(change);
    }
  }

  const InformerOptions options_;
  Client& client_;
  Clock& clock_;
  Store store_;
  std::vector<std::function<void(const Change&)>> handlers_;  // fixed before Run
  std::mutex deliver_mutex_;  ///< one change at a time, whichever namespace it comes from
  std::vector<std::unique_ptr<Scope>> scopes_;
};

}  // namespace

std::unique_ptr<Informer> MakeInformer(InformerOptions options, Client& client, Clock& clock) {
  return std::make_unique<ReflectingInformer>(std::move(options), client, clock);
}

}  // namespace torchsoak::k8s
