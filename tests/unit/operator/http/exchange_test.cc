#include "operator/http/exchange.h"

#include <gtest/gtest.h>

#include <future>
#include <memory>
#include <thread>

namespace torchsoak::http {
namespace {

using Event = Exchange::Event;
using Push = Exchange::Push;

Exchange::Time Now() { return std::chrono::steady_clock::now(); }
Exchange::Time Later() { return Now() + std::chrono::seconds(60); }
void Nothing() {}

TEST(Exchange, TellsHeadersOnceAndBeforeTheBodyThatCameFirst) {
  Exchange exchange(100);
  EXPECT_EQ(exchange.OnBody("abc", Nothing), Push::kGoOn);
  EXPECT_EQ(exchange.Wait(Now(), {}), Event::kDeadline);
  exchange.OnHeaders(200, {{"a", "b"}});
  exchange.OnEnd();
  EXPECT_EQ(exchange.Wait(Later(), {}), Event::kHeaders);
  EXPECT_EQ(exchange.status(), 200);
  EXPECT_EQ(exchange.headers(), (Headers{{"a", "b"}}));
  EXPECT_EQ(exchange.Wait(Later(), {}), Event::kBody);
  EXPECT_EQ(exchange.TakeBody(), "abc");
  EXPECT_EQ(exchange.Wait(Later(), {}), Event::kEnd);
}

TEST(Exchange, MakesTheWriterWaitAboveTheHighWaterMark) {
  Exchange exchange(4);
  exchange.OnHeaders(200, {});
  int resumed = 0;
  EXPECT_EQ(exchange.OnBody("abcd", [&] { ++resumed; }), Push::kGoOn);
  EXPECT_EQ(exchange.OnBody("e", [&] { ++resumed; }), Push::kWait);
  EXPECT_EQ(resumed, 0);
  EXPECT_EQ(exchange.TakeBody(), "abcde");
  EXPECT_EQ(resumed, 1);
  EXPECT_EQ(exchange.TakeBody(), "");
  EXPECT_EQ(resumed, 1);
}

TEST(Exchange, AbandonReleasesTheWriterAndRefusesTheNextPiece) {
  Exchange exchange(1);
  int resumed = 0;
  EXPECT_EQ(exchange.OnBody("abc", [&] { ++resumed; }), Push::kWait);
  exchange.Abandon();
  EXPECT_EQ(resumed, 1);
  EXPECT_EQ(exchange.OnBody("d", Nothing), Push::kClosed);
}

TEST(Exchange, WhatHadArrivedIsToldBeforeTheFailure) {
  Exchange exchange(100);
  exchange.OnHeaders(200, {});
  exchange.OnBody("abc", Nothing);
  exchange.OnFailure("lost", false);
  exchange.OnFailure("later", true);
  EXPECT_EQ(exchange.Wait(Later(), {}), Event::kHeaders);
  EXPECT_EQ(exchange.Wait(Later(), {}), Event::kBody);
  exchange.TakeBody();
  EXPECT_EQ(exchange.Wait(Later(), {}), Event::kFailed);
  EXPECT_EQ(exchange.failure(), "lost");
  EXPECT_FALSE(exchange.timed_out());
}

TEST(Exchange, KnowsWhetherAnythingWasSent) {
  Exchange exchange(1);
  EXPECT_FALSE(exchange.sent());
  exchange.OnSent();
  EXPECT_TRUE(exchange.sent());
}

TEST(Exchange, StopWakesTheReaderAndWinsOverData) {
  Exchange exchange(100);
  exchange.OnHeaders(200, {});
  std::stop_source stop;
  stop.request_stop();
  EXPECT_EQ(exchange.Wait(Later(), stop.get_token()), Event::kStopped);

  Exchange quiet(100);
  std::stop_source later;
  std::thread stopper([&] { later.request_stop(); });
  EXPECT_EQ(quiet.Wait(Later(), later.get_token()), Event::kStopped);
  stopper.join();
}

TEST(Exchange, ManyPiecesFromAnotherThreadArriveInOrder) {
  constexpr int kPieces = 20'000;
  Exchange exchange(64);
  std::thread writer([&] {
    exchange.OnHeaders(200, {});
    for (int i = 0; i < kPieces; ++i) {
      const auto room = std::make_shared<std::promise<void>>();
      const std::string piece(1, static_cast<char>('a' + i % 26));
      if (exchange.OnBody(piece, [room] { room->set_value(); }) == Push::kWait) {
        room->get_future().wait();
      }
    }
    exchange.OnEnd();
  });
  std::string all;
  Event event = exchange.Wait(Later(), {});
  while (event == Event::kHeaders || event == Event::kBody) {
    all += exchange.TakeBody();
    event = exchange.Wait(Later(), {});
  }
  writer.join();
  EXPECT_EQ(event, Event::kEnd);
  ASSERT_EQ(all.size(), static_cast<std::size_t>(kPieces));
  for (int i = 0; i < kPieces; ++i) ASSERT_EQ(all[static_cast<std::size_t>(i)], 'a' + i % 26);
}

}  // namespace
}  // namespace torchsoak::http
