#include "operator/k8s/watch/reflector.h"

#include <utility>

namespace torchsoak::k8s {

using Effects = ReflectorEffects;

Reflector::Reflector(Target target, Client& client, Clock& clock, ReflectorSink& sink,
                     std::function<double()> random)
    : target_(std::move(target)),
      client_(client),
      clock_(clock),
      sink_(sink),
      random_(std::move(random)) {}

void Reflector::Run(std::stop_token stop) {
  Effects next = Take(Started{});
  while (!stop.stop_requested()) {
    if (next.delay.count() > 0 && !clock_.Sleep(next.delay, stop)) return;
    next = next.next == Effects::Next::kList ? List(next, stop) : Watch(next, stop);
  }
}

/// One step, and what it says about health and restarts. The store is left to the caller, who has
/// the objects.
Effects Reflector::Take(const ReflectorInput& input) {
  Effects effects = Step(state_, input, Moment{clock_.Boot(), random_()});
  if (effects.progress) sink_.OnProgress();
  if (effects.restart) sink_.OnRestart(*effects.restart, effects.detail);
  return effects;
}

Effects Reflector::List(const Effects& ask, std::stop_token stop) {
  ListOptions options;
  options.label_selector = target_.label_selector;
  options.limit = ask.limit;
  options.continue_token = ask.token;
  Expected<ListPage> page = client_.List(target_.type, target_.ns, options, stop);
  if (stop.stop_requested()) return ask;
  if (!page) {
    const Effects effects = Take(ListFailed{page.error()});
    sink_.DropPages();
    return effects;
  }
  Effects effects = Take(PageRead{page->version, page->next});
  if (effects.store == Effects::Store::kDropPages) {
    sink_.DropPages();
    return effects;
  }
  sink_.KeepPage(std::move(page->items));
  if (effects.store == Effects::Store::kReplace) sink_.Replace(state_.version);
  return effects;
}

Effects Reflector::Watch(const Effects& ask, std::stop_token stop) {
  ListOptions options;
  options.label_selector = target_.label_selector;
  LineSplitter lines;
  Take(StreamOpened{});
  const Status ended = client_.Watch(
      target_.type, target_.ns, options, state_.version, ask.timeout_seconds,
      [&](std::string_view piece) { return !stop.stop_requested() && OnPiece(lines, piece); },
      stop);
  if (stop.stop_requested()) return ask;
  return Take(StreamEnded{ended});
}

bool Reflector::OnPiece(LineSplitter& lines, std::string_view piece) {
  const auto result = lines.Feed(piece, [this](std::string_view line) { return OnLine(line); });
  if (result == LineSplitter::Result::kTooLong) Take(EventLost{"a line of more than 16 MiB"});
  return result == LineSplitter::Result::kMore;
}

bool Reflector::OnLine(std::string_view line) {
  Expected<WatchEvent> event = DecodeWatchEvent(line);
  if (!event) {
    Take(EventLost{event.error().message});
    return false;
  }
  const Effects effects = Take(EventRead{*event});
  switch (effects.store) {
    case Effects::Store::kUpsert:
      sink_.Upsert(std::move(event->object), state_.version);
      break;
    case Effects::Store::kErase:
      sink_.Erase(std::move(event->object), state_.version);
      break;
    case Effects::Store::kAdvance:
      sink_.Advance(state_.version);
      break;
    default:
      break;
  }
  return effects.next == Effects::Next::kReadOn;
}

}  // namespace torchsoak::k8s
