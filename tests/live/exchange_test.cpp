// SPDX-License-Identifier: MIT
// Topics, subscribers and slow clients; the clock; who may connect.

#include <cstring>
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include <fathom/base/error.hpp>

#include "live/exchange.hpp"
#include "live/live_services.hpp"
#include "live/play_clock.hpp"
#include "live/save_scene.hpp"
#include "live/web_access.hpp"

namespace fathom {
namespace {

using std::chrono::milliseconds;
constexpr LiveClock::time_point kStart{std::chrono::hours(1)};

class ExchangeTest : public testing::Test {
 protected:
  ExchangeTest() {
    exchange_.set_topics({{"/a", "json", "a", "{}", "jsonschema", true}, {"/b", "cdr", "b", "", "ros2msg"}});
  }

  ClientId connect() {
    const ClientId client = exchange_.connect();
    for (int i = 0; i < 3; ++i) static_cast<void>(exchange_.next(client));
    return client;
  }
  void say(ClientId client, const std::string& text, LiveClock::time_point now = kStart) {
    exchange_.receive(client, std::as_bytes(std::span(text)), true, now);
  }
  void subscribe(ClientId client, int id, int channel) {
    say(client, R"({"op":"subscribe","subscriptions":[{"id":)" + std::to_string(id) + R"(,"channelId":)" +
                    std::to_string(channel) + "}]}");
  }
  std::string body(ClientId client) {
    const auto message = exchange_.next(client);
    return message && message->body ? *message->body : "";
  }

  Exchange exchange_{"id", "1", kLiveServices, [] {}};
};

TEST_F(ExchangeTest, GreetsWithWhatThereIs) {
  const ClientId client = exchange_.connect();
  EXPECT_NE(exchange_.next(client)->head.find("serverInfo"), std::string::npos);
  EXPECT_NE(exchange_.next(client)->head.find("/a"), std::string::npos);
  EXPECT_NE(exchange_.next(client)->head.find("/fathom/pause"), std::string::npos);
  EXPECT_FALSE(exchange_.next(client));
}

TEST_F(ExchangeTest, ASlowClientGetsTheNewest) {
  const ClientId slow = connect(), fast = connect();
  subscribe(slow, 1, 2);
  subscribe(fast, 1, 2);
  for (const char* text : {"one", "two", "three"}) {
    exchange_.publish("/b", 1, text);
    EXPECT_EQ(body(fast), text);
  }
  EXPECT_EQ(body(slow), "three");
  EXPECT_FALSE(exchange_.has_next(slow));
}

TEST_F(ExchangeTest, WhoComesLateGetsWhatIsKept) {
  exchange_.publish("/a", 1, "kept");
  exchange_.publish("/b", 1, "gone");
  const ClientId client = connect();
  subscribe(client, 1, 1);
  subscribe(client, 2, 2);
  EXPECT_EQ(body(client), "kept");
  EXPECT_FALSE(exchange_.next(client));
}

TEST_F(ExchangeTest, SubscribersAreCounted) {
  const ClientId client = connect();
  EXPECT_FALSE(exchange_.is_wanted("/b"));
  subscribe(client, 1, 2);
  subscribe(client, 2, 2);
  say(client, R"({"op":"unsubscribe","subscriptionIds":[1]})");
  EXPECT_TRUE(exchange_.is_wanted("/b"));
  exchange_.disconnect(client);
  EXPECT_FALSE(exchange_.is_wanted("/b"));
  EXPECT_FALSE(exchange_.has_clients());
}

TEST_F(ExchangeTest, TopicsThatStayKeepTheirSubscribers) {
  const ClientId client = connect();
  subscribe(client, 1, 1);
  subscribe(client, 2, 2);
  exchange_.set_topics({{"/b", "cdr", "b", "", "ros2msg"}, {"/c", "cdr", "c", "", "ros2msg"}});
  EXPECT_NE(exchange_.next(client)->head.find("unadvertise"), std::string::npos);
  EXPECT_NE(exchange_.next(client)->head.find("/c"), std::string::npos);
  exchange_.publish("/b", 1, "still");
  EXPECT_EQ(body(client), "still");
}

TEST_F(ExchangeTest, FloodsAreDroppedWithOneWarning) {
  const ClientId client = connect();
  int told = 0;
  for (int i = 0; i < 1000; ++i) say(client, "x");
  while (exchange_.next(client)) ++told;
  EXPECT_GT(told, 100);
  EXPECT_LT(told, 500);
  say(client, "x", kStart + milliseconds(3000));
  EXPECT_TRUE(exchange_.next(client));
}

TEST_F(ExchangeTest, WhoNeverReadsIsGivenUp) {
  const ClientId client = connect();
  for (int i = 0; i < 20; ++i) exchange_.answer_text(client, std::string(std::size_t{1} << 20U, 'x'));
  EXPECT_TRUE(exchange_.is_given_up(client));
  int kept = 0;
  while (exchange_.next(client)) ++kept;
  EXPECT_EQ(kept, 9);  // the ninth is the one beyond 8 MiB
}

TEST_F(ExchangeTest, OnlyParametersThatExistAreWatched) {
  const ClientId client = connect();
  const auto watch = [&](const std::string& names) {
    say(client, R"({"op":"subscribeParameterUpdates","parameterNames":[)" + names + "]}");
  };
  const auto changed = [&](const char* name) {
    const Parameter parameter{name, 1.0};
    exchange_.send_changed({&parameter, 1});
    return exchange_.has_next(client);
  };
  const std::vector<Parameter> first = {{"a", 1.0}, {"b", 1.0}}, second = {{"a", 1.0}, {"b", 1.0}, {"late", 1.0}};
  exchange_.set_parameters(first);
  watch(R"("late","a")");
  EXPECT_NE(exchange_.next(client)->head.find("there is no 'late'"), std::string::npos);
  exchange_.set_parameters(second);
  EXPECT_FALSE(changed("late"));
  EXPECT_FALSE(changed("b"));
  ASSERT_TRUE(changed("a"));
  EXPECT_NE(exchange_.next(client)->head.find(R"("name":"a")"), std::string::npos);
  exchange_.set_parameters({});  // and with it what is watched of them
  exchange_.set_parameters(second);
  EXPECT_FALSE(changed("a"));
}

TEST_F(ExchangeTest, RequestsThatWaitAreBounded) {
  const ClientId client = connect();
  const std::string large(std::size_t{250} << 10U, 'x');
  const std::string request = R"({"op":"getParameters","parameterNames":[")" + large + R"("]})";
  int told = 0;
  for (int i = 0; i < 64; ++i) say(client, request);
  while (exchange_.next(client)) ++told;
  const std::size_t kept = exchange_.wait(LiveClock::now()).requests.size();
  EXPECT_EQ(kept, (std::size_t{8} << 20U) / request.size());
  EXPECT_EQ(kept + told, 64U);
  say(client, request);
  EXPECT_EQ(exchange_.wait(LiveClock::now()).requests.size(), 1U);
}

TEST(SaveLimitsTest, BoundRateNumberAndBytes) {
  SaveLimits rate;
  for (int i = 0; i < 10; ++i) rate.begin(kStart);
  EXPECT_THROW(rate.begin(kStart), InputError);
  rate.begin(kStart + milliseconds(1000));
  EXPECT_THROW(rate.begin(kStart + milliseconds(1000)), InputError);

  SaveLimits number;
  for (int i = 0; i < 1000; ++i) number.begin(kStart + i * milliseconds(1000));
  EXPECT_THROW(number.begin(kStart + milliseconds(2000000)), InputError);

  const std::filesystem::path file = std::filesystem::path(testing::TempDir()) / "fathom_save_limits";
  std::ofstream(file).put('x');
  std::filesystem::resize_file(file, std::uintmax_t{1} << 30U);  // without its bytes on the disk
  SaveLimits bytes;
  for (int i = 0; i < 4; ++i) bytes.begin(kStart), bytes.end(file);
  EXPECT_THROW(bytes.begin(kStart + milliseconds(2000)), InputError);
  std::filesystem::remove(file);
}

TEST(PlayClockTest, ShowsFramesInTheirTime) {
  PlayClock clock(10, 10.0, kStart);
  EXPECT_EQ(clock.frame(kStart + milliseconds(250)), 2U);
  EXPECT_EQ(clock.frame(kStart + milliseconds(1000)), 0U);
  EXPECT_EQ(*clock.next(kStart + milliseconds(250)), kStart + milliseconds(300));
  clock.set_speed(2, kStart + milliseconds(200));
  EXPECT_EQ(clock.frame(kStart + milliseconds(300)), 4U);
  clock.pause(true, kStart + milliseconds(320));
  EXPECT_EQ(clock.frame(kStart + milliseconds(9000)), 4U);
  EXPECT_FALSE(clock.next(kStart + milliseconds(9000)));
  clock.seek(9, kStart);
  clock.step(kStart);
  EXPECT_EQ(clock.frame(kStart), 0U);
  EXPECT_THROW(clock.seek(10, kStart), InputError);
  EXPECT_THROW(clock.set_speed(0, kStart), InputError);
  EXPECT_THROW(clock.set_speed(std::nan(""), kStart), InputError);
}

TEST(WebAccessTest, RefusesStrangers) {
  const WebAccess access({"https://app.example:8443"});
  for (const char* host : {"localhost", "localhost:8765", "127.0.0.1:8765", "[::1]:8765", "10.0.0.7", "app.example"}) {
    EXPECT_TRUE(access.allows_host(host)) << host;
  }
  for (const char* host : {"", "stranger.example", "localhost.stranger.example", "127.0.0.1.stranger.example:1"}) {
    EXPECT_FALSE(access.allows_host(host)) << host;
  }
  EXPECT_TRUE(access.allows_origin("", "localhost:8765"));
  EXPECT_TRUE(access.allows_origin("http://localhost:8765", "localhost:8765"));
  EXPECT_TRUE(access.allows_origin("https://app.example:8443", "localhost:8765"));
  for (const char* origin :
       {"null", "http://localhost:8766", "https://localhost:8765", "https://app.example", "file://"}) {
    EXPECT_FALSE(access.allows_origin(origin, "localhost:8765")) << origin;
  }
  EXPECT_THROW(WebAccess({"app.example"}), InputError);
  EXPECT_THROW(WebAccess({"https://app.example/path"}), InputError);
}

}  // namespace
}  // namespace fathom
