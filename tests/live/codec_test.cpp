// SPDX-License-Identifier: MIT
// The Foxglove protocol: what clients send, and what they get.

#include <cstring>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <rapidcheck/gtest.h>

#include <fathom/base/error.hpp>

#include "live/client_message.hpp"
#include "live/server_message.hpp"

namespace fathom {
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
  // Cut before the end of the encoding it is none.
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

}  // namespace
}  // namespace fathom
