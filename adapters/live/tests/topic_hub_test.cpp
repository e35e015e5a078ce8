// SPDX-License-Identifier: MIT
// Messages of the Foxglove protocol, and the hub between a source and its clients.

#include <nlohmann/json.hpp>

#include "live/live_source.hpp"
#include "live/messages.hpp"
#include "live/save_scene.hpp"
#include "live/socket/http.hpp"
#include "live/topic_hub.hpp"
#include "support/expect.hpp"

namespace fathom::test {
namespace {

template <class Message>
Message parse(const std::string& text) {
  return std::get<Message>(parse_client_text(text));
}

std::span<const std::byte> bytes_of(const std::string& text) { return std::as_bytes(std::span(text)); }

TEST(LiveCodec, ReadsWhatClientsSend) {
  const auto subscribe = parse<Subscribe>(R"({"op":"subscribe","subscriptions":[{"id":4294967295,"channelId":7}]})");
  ASSERT_EQ(subscribe.subscriptions.size(), 1U);
  EXPECT_EQ(subscribe.subscriptions[0].id, 4294967295U);
  EXPECT_EQ(subscribe.subscriptions[0].channel, 7U);
  EXPECT_EQ(parse<Unsubscribe>(R"({"op":"unsubscribe","subscriptionIds":[1,2]})").ids.size(), 2U);
  EXPECT_EQ(parse<GetParameters>(R"({"op":"getParameters","parameterNames":["a"],"id":"x"})").id, "x");
  const auto set = parse<SetParameters>(
      R"({"op":"setParameters","parameters":[{"name":"a","value":1},{"name":"b","value":true},{"name":"c","value":"w"},{"name":"d","value":[1]}]})");
  EXPECT_EQ(std::get<double>(set.parameters[0].value), 1.0);
  EXPECT_TRUE(std::get<bool>(set.parameters[1].value));
  EXPECT_EQ(std::get<std::string>(set.parameters[2].value), "w");
  EXPECT_TRUE(std::holds_alternative<std::monostate>(set.parameters[3].value));
  EXPECT_FALSE(set.id);
  EXPECT_TRUE(parse<WatchParameters>(R"({"op":"subscribeParameterUpdates","parameterNames":["a"]})").watch);
  EXPECT_FALSE(parse<WatchParameters>(R"({"op":"unsubscribeParameterUpdates","parameterNames":["a"]})").watch);
}

TEST(LiveCodec, RefusesInOneLine) {
  for (const char* text :
       {"", "x", "[]", "{}", R"({"op":"subscribe"})", R"({"op":"subscribe","subscriptions":{}})",
        R"({"op":"subscribe","subscriptions":[{"id":-1,"channelId":1}]})",
        R"({"op":"subscribe","subscriptions":[{"id":1.5,"channelId":1}]})",
        R"({"op":"subscribe","subscriptions":[{"id":4294967296,"channelId":1}]})", R"({"op":"publish\n"})",
        R"({"op":"setParameters","parameters":[{"value":1}]})", R"({"op":"getParameters","parameterNames":[1]})"}) {
    try {
      static_cast<void>(parse_client_text(text));
      ADD_FAILURE() << text;
    } catch (const InputError& error) {
      EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos) << text;
    }
  }
  EXPECT_THROW(parse_client_text(std::string(100'000, '[')), InputError);
}

RC_GTEST_PROP(LiveCodec, ReadsServiceCallsToTheByte, (std::uint32_t service, std::uint32_t call, std::string body)) {
  std::string bytes(1, '\2');
  for (const std::uint32_t number : {service, call, 4U}) bytes.append(reinterpret_cast<const char*>(&number), 4);
  bytes += "json" + body;
  const auto read = std::get<ServiceCall>(parse_client_bytes(bytes_of(bytes)));
  RC_ASSERT(read.service == service && read.call == call && read.encoding == "json" && read.request == body);
  // A message that is cut before the end of the encoding is invalid.
  for (std::size_t size = 0; size < 17; ++size) {
    const std::string cut = bytes.substr(0, size);
    RC_ASSERT_THROWS_AS(parse_client_bytes(bytes_of(cut)), InputError);
  }
}

RC_GTEST_PROP(LiveCodec, AnyBytesAreAMessageOrRefused, (std::string bytes)) {
  try {
    static_cast<void>(parse_client_bytes(bytes_of(bytes)));
  } catch (const InputError&) {
  }
  try {
    static_cast<void>(parse_client_text(bytes));
  } catch (const InputError&) {
  }
}

TEST(LiveCodec, WritesWhatTheProtocolAsks) {
  const std::string head = message_head(0x01020304U, 0x0102030405060708U);
  ASSERT_EQ(head.size(), 13U);
  EXPECT_EQ(head[0], 1);
  EXPECT_EQ(head[1], 4);
  EXPECT_EQ(head[5], 8);
  EXPECT_EQ(time_bytes(9).size(), 9U);
  EXPECT_EQ(time_bytes(9)[0], 2);
  const ServiceCall call{5, 6, "json", "{}"};
  const std::string answer = service_response_bytes(call, "{\"a\":1}");
  EXPECT_EQ(answer.substr(0, 1) + answer.substr(9, 8), std::string("\3\4\0\0\0json", 9));
  EXPECT_EQ(answer.substr(17), "{\"a\":1}");
  const auto failure = nlohmann::json::parse(service_failure_text(call, "why\xff"));
  EXPECT_EQ(failure["serviceId"], 5);
  EXPECT_EQ(failure["callId"], 6);
  const auto info = nlohmann::json::parse(server_info_text("id", "1.2"));
  EXPECT_EQ(info["capabilities"], nlohmann::json({"parameters", "parametersSubscribe", "time", "services"}));
  const std::vector<Parameter> parameters = {{"a", 1.5}, {"b", true}, {"c", std::string("w")}, {"d", {}}};
  const auto values = nlohmann::json::parse(parameter_values_text(parameters, "x"));
  EXPECT_EQ(values["id"], "x");
  EXPECT_EQ(values["parameters"][0]["value"], 1.5);
  EXPECT_FALSE(values["parameters"][3].contains("value"));
}

using std::chrono::milliseconds;
constexpr LiveClock::time_point kStart{std::chrono::hours(1)};

class TopicHubTest : public testing::Test {
 protected:
  TopicHubTest() {
    hub_.set_topics({{"/a", "json", "a", "{}", "jsonschema", true}, {"/b", "cdr", "b", "", "ros2msg"}});
  }

  ClientId connect() {
    const ClientId client = hub_.connect();
    for (int i = 0; i < 3; ++i) static_cast<void>(hub_.next(client));
    return client;
  }
  void say(ClientId client, const std::string& text, LiveClock::time_point now = kStart) {
    hub_.receive(client, std::as_bytes(std::span(text)), true, now);
  }
  void subscribe(ClientId client, int id, int channel) {
    say(client, R"({"op":"subscribe","subscriptions":[{"id":)" + std::to_string(id) + R"(,"channelId":)" +
                    std::to_string(channel) + "}]}");
  }
  std::string body(ClientId client) {
    const auto message = hub_.next(client);
    return message && message->body ? *message->body : "";
  }

  TopicHub hub_{"id", "1", kLiveServices, [] {}};
};

TEST_F(TopicHubTest, GreetsWithWhatThereIs) {
  const ClientId client = hub_.connect();
  EXPECT_TRUE(contains(hub_.next(client)->head, "serverInfo"));
  EXPECT_TRUE(contains(hub_.next(client)->head, "/a"));
  EXPECT_TRUE(contains(hub_.next(client)->head, "/fathom/pause"));
  EXPECT_FALSE(hub_.next(client));
}

TEST_F(TopicHubTest, ASlowClientGetsTheNewest) {
  const ClientId slow = connect(), fast = connect();
  subscribe(slow, 1, 2);
  subscribe(fast, 1, 2);
  for (const char* text : {"one", "two", "three"}) {
    hub_.publish("/b", 1, text);
    EXPECT_EQ(body(fast), text);
  }
  EXPECT_EQ(body(slow), "three");
  EXPECT_FALSE(hub_.has_next(slow));
}

TEST_F(TopicHubTest, WhoComesLateGetsWhatIsKept) {
  hub_.publish("/a", 1, "kept");
  hub_.publish("/b", 1, "gone");
  const ClientId client = connect();
  subscribe(client, 1, 1);
  subscribe(client, 2, 2);
  EXPECT_EQ(body(client), "kept");
  EXPECT_FALSE(hub_.next(client));
}

TEST_F(TopicHubTest, SubscribersAreCounted) {
  const ClientId client = connect();
  EXPECT_FALSE(hub_.is_wanted("/b"));
  subscribe(client, 1, 2);
  subscribe(client, 2, 2);
  say(client, R"({"op":"unsubscribe","subscriptionIds":[1]})");
  EXPECT_TRUE(hub_.is_wanted("/b"));
  hub_.disconnect(client);
  EXPECT_FALSE(hub_.is_wanted("/b"));
  EXPECT_FALSE(hub_.has_clients());
}

TEST_F(TopicHubTest, TopicsThatStayKeepTheirSubscribers) {
  const ClientId client = connect();
  subscribe(client, 1, 1);
  subscribe(client, 2, 2);
  hub_.set_topics({{"/b", "cdr", "b", "", "ros2msg"}, {"/c", "cdr", "c", "", "ros2msg"}});
  EXPECT_TRUE(contains(hub_.next(client)->head, "unadvertise"));
  EXPECT_TRUE(contains(hub_.next(client)->head, "/c"));
  hub_.publish("/b", 1, "still");
  EXPECT_EQ(body(client), "still");
}

TEST_F(TopicHubTest, FloodsAreDroppedWithOneWarning) {
  const ClientId client = connect();
  int told = 0;
  for (int i = 0; i < 1000; ++i) say(client, "x");
  while (hub_.next(client)) ++told;
  EXPECT_GT(told, 100);
  EXPECT_LT(told, 500);
  say(client, "x", kStart + milliseconds(3000));
  EXPECT_TRUE(hub_.next(client));
}

TEST_F(TopicHubTest, WhoNeverReadsIsGivenUp) {
  const ClientId client = connect();
  for (int i = 0; i < 20; ++i) hub_.answer_text(client, std::string(std::size_t{1} << 20U, 'x'));
  EXPECT_TRUE(hub_.is_given_up(client));
  int kept = 0;
  while (hub_.next(client)) ++kept;
  EXPECT_EQ(kept, 9);  // the ninth exceeds 8 MiB
}

TEST_F(TopicHubTest, OnlyParametersThatExistAreWatched) {
  const ClientId client = connect();
  const auto watch = [&](const std::string& names) {
    say(client, R"({"op":"subscribeParameterUpdates","parameterNames":[)" + names + "]}");
  };
  const auto changed = [&](const char* name) {
    const Parameter parameter{name, 1.0};
    hub_.send_changed({&parameter, 1});
    return hub_.has_next(client);
  };
  const std::vector<Parameter> first = {{"a", 1.0}, {"b", 1.0}}, second = {{"a", 1.0}, {"b", 1.0}, {"late", 1.0}};
  hub_.set_parameters(first);
  watch(R"("late","a")");
  EXPECT_TRUE(contains(hub_.next(client)->head, "there is no 'late'"));
  hub_.set_parameters(second);
  EXPECT_FALSE(changed("late"));
  EXPECT_FALSE(changed("b"));
  ASSERT_TRUE(changed("a"));
  EXPECT_TRUE(contains(hub_.next(client)->head, R"("name":"a")"));
  hub_.set_parameters({});  // also ends watching them
  hub_.set_parameters(second);
  EXPECT_FALSE(changed("a"));
}

TEST_F(TopicHubTest, RequestsThatWaitAreBounded) {
  const ClientId client = connect();
  const std::string large(std::size_t{250} << 10U, 'x');
  const std::string request = R"({"op":"getParameters","parameterNames":[")" + large + R"("]})";
  int told = 0;
  for (int i = 0; i < 64; ++i) say(client, request);
  while (hub_.next(client)) ++told;
  const std::size_t kept = hub_.wait(LiveClock::now()).requests.size();
  EXPECT_EQ(kept, (std::size_t{8} << 20U) / request.size());
  EXPECT_EQ(kept + told, 64U);
  say(client, request);
  EXPECT_EQ(hub_.wait(LiveClock::now()).requests.size(), 1U);
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
}  // namespace fathom::test
