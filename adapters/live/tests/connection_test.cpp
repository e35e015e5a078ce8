// SPDX-License-Identifier: MIT
// Connections without sockets: requests and replies, handshakes, frames in pieces, pings, timeouts.

#include "live/messages.hpp"
#include "live/socket/live_server.hpp"
#include "support/expect.hpp"

namespace fathom::test {
namespace {

using namespace std::string_literals;
using std::chrono::seconds;

constexpr Connection::TimePoint kCame{std::chrono::hours(1)};
constexpr std::string_view kHello = "\x81\x85\x37\xfa\x21\x3d\x7f\x9f\x4d\x51\x58";  // of RFC 6455, section 5.7

class ConnectionTest : public testing::Test {
 protected:
  ConnectionTest() { hub_.set_topics({{"/a", "json", "a", "{}", "jsonschema"}}); }

  static std::string handshake(std::string_view more = {}) {
    return "GET / HTTP/1.1\r\nHost: localhost:8765\r\nUpgrade: websocket\r\nConnection: keep-alive, Upgrade\r\n"
           "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n"
           "Sec-WebSocket-Protocol: chat, foxglove.websocket.v1, foxglove.sdk.v1\r\n" +
           std::string(more) + "\r\n";
  }
  /// Everything that a connection has to send, `step` bytes at a time.
  static std::string drain(Connection& connection, std::size_t step = 1000, Connection::TimePoint now = kCame) {
    std::string all;
    while (connection.wants_to_send()) {
      const std::string_view bytes = connection.to_send().substr(0, step);
      all += bytes;
      connection.sent(bytes.size(), now);
    }
    return all;
  }
  std::string reply(const std::string& request) {
    Connection connection(site_, kCame);
    connection.receive(request, kCame);
    const std::string all = drain(connection);
    EXPECT_TRUE(connection.is_sent() || connection.is_client());
    return all;
  }
  std::string refusal(std::string request, const std::string& find, const std::string& replacement) {
    request.replace(request.find(find), find.size(), replacement);
    const std::string all = reply(request);
    EXPECT_EQ(hub_.clients(), 0U);
    return all.substr(0, all.find('\r'));
  }
  std::unique_ptr<Connection> client() {
    auto connection = std::make_unique<Connection>(site_, kCame);
    connection->receive(handshake(), kCame);
    drain(*connection);
    EXPECT_TRUE(connection->is_client());
    return connection;
  }
  static std::string pong() { return "\x8a\x80mask"; }
  void subscribe(Connection& connection) {
    const std::string text = R"({"op":"subscribe","subscriptions":[{"id":1,"channelId":1}]})";
    connection.receive("\x81"s + static_cast<char>(0x80 | text.size()) + "\0\0\0\0"s + text, kCame);
  }

  TopicHub hub_{"id", "1", kLiveServices, [] {}};
  LiveSite site_{WebAccess({}), [] { return "{layout}"s; }, &hub_};
};

TEST_F(ConnectionTest, ServesFilesByteByByte) {
  const std::string request = "GET /layout.json?x HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n";
  const std::string whole = reply(request);
  EXPECT_TRUE(whole.starts_with("HTTP/1.1 200 OK\r\n")) << whole;
  EXPECT_TRUE(contains(whole, "content-length: 8\r\n"));
  EXPECT_TRUE(whole.ends_with("\r\n\r\n{layout}"));
  Connection connection(site_, kCame);
  for (const char c : request) connection.receive({&c, 1}, kCame);
  EXPECT_EQ(drain(connection, 1), whole);
  EXPECT_EQ(reply(request + request + "more"), whole);  // one request, and nothing after it
}

TEST_F(ConnectionTest, RefusesRequests) {
  const std::string get = "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n";
  EXPECT_EQ(refusal(get, "GET", "POST"), "HTTP/1.1 405 Method Not Allowed");
  EXPECT_EQ(refusal(get, "127.0.0.1", "stranger.example"), "HTTP/1.1 403 Forbidden");
  EXPECT_EQ(refusal(get, " / ", " /../../etc/passwd "), "HTTP/1.1 404 Not Found");
  EXPECT_EQ(refusal(get, " / ", " //app.js "), "HTTP/1.1 404 Not Found");
  EXPECT_EQ(refusal(get, "GET", "\x16\x03\x01"), "HTTP/1.1 400 Bad Request");
  const std::string large = "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\ncookie: " + std::string(1 << 14, 'x');
  EXPECT_TRUE(reply(large).starts_with("HTTP/1.1 431 "));
  EXPECT_TRUE(reply(large + "\r\n\r\n").starts_with("HTTP/1.1 431 "));
  Connection unfinished(site_, kCame);
  unfinished.receive("GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n", kCame);
  EXPECT_EQ(drain(unfinished), "");
}

TEST_F(ConnectionTest, OpensWebSockets) {
  const std::string answer = reply(handshake("Origin: http://localhost:8765\r\n"));
  EXPECT_TRUE(answer.starts_with("HTTP/1.1 101 Switching Protocols\r\n"));
  EXPECT_TRUE(contains(answer, "sec-websocket-accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n"));
  EXPECT_TRUE(contains(answer, "sec-websocket-protocol: foxglove.websocket.v1\r\n"));
  EXPECT_TRUE(contains(answer, "serverInfo"));
  EXPECT_EQ(hub_.clients(), 0U);  // left with its connection
}

TEST_F(ConnectionTest, RefusesHandshakes) {
  EXPECT_EQ(refusal(handshake(), "Version: 13", "Version: 8"), "HTTP/1.1 426 Upgrade Required");
  EXPECT_EQ(refusal(handshake(), "dGhl", "dGh"), "HTTP/1.1 400 Bad Request");
  EXPECT_EQ(refusal(handshake(), "keep-alive, Upgrade", "keep-alive"), "HTTP/1.1 400 Bad Request");
  EXPECT_EQ(refusal(handshake(), "HTTP/1.1", "HTTP/1.0"), "HTTP/1.1 400 Bad Request");
  EXPECT_EQ(refusal(handshake(), "foxglove.websocket.v1, foxglove.sdk.v1", "http"), "HTTP/1.1 400 Bad Request");
  EXPECT_EQ(refusal(handshake("Origin: http://stranger.example\r\n"), "", ""), "HTTP/1.1 403 Forbidden");
  EXPECT_EQ(refusal(handshake(), "localhost", "stranger.example"), "HTTP/1.1 403 Forbidden");
}

TEST_F(ConnectionTest, OpensSixteenAtMost) {
  std::vector<std::unique_ptr<Connection>> clients(16);
  for (auto& one : clients) one = client();
  EXPECT_TRUE(reply(handshake()).starts_with("HTTP/1.1 503 "));
  clients.pop_back();
  EXPECT_TRUE(reply(handshake()).starts_with("HTTP/1.1 101 "));
}

TEST_F(ConnectionTest, ReadsFramesThatComeWithTheHandshake) {
  Connection connection(site_, kCame);
  connection.receive(handshake() + std::string(kHello), kCame);
  EXPECT_TRUE(contains(drain(connection), "is not JSON"));
}

TEST_F(ConnectionTest, EndsWhenAClientBreaksTheProtocol) {
  const auto end = [&](std::string_view bytes) {
    const auto one = client();
    one->receive(bytes, kCame);
    EXPECT_FALSE(one->is_client());
    EXPECT_EQ(hub_.clients(), 0U);
    one->receive(kHello, kCame);
    const std::string frame = drain(*one, 1);
    EXPECT_TRUE(one->is_sent());
    return frame;
  };
  EXPECT_EQ(end("\x81\x05Hello").substr(2, 2), "\x03\xea");                                  // 1002: no mask
  EXPECT_EQ(end("\x82\xff\x00\x00\x00\x00\x00\x04\x00\x01mask"s).substr(2, 2), "\x03\xf1");  // 1009
  EXPECT_EQ(end("\x81\x81\0\0\0\0\xff"s).substr(2, 2), "\x03\xef");                          // 1007
  EXPECT_EQ(end("\x88\x80mask"), "\x88\0"s);                                                 // returns its code
  EXPECT_EQ(end("\x88\x84\0\0\0\0\x03\xe9ok"s), "\x88\x02\x03\xe9");
}

TEST_F(ConnectionTest, AnswersTheNewestPing) {
  const auto one = client();
  for (int i = 0; i < 1000; ++i) one->receive("\x89\x81\0\0\0\0"s + static_cast<char>('a' + i % 26), kCame);
  EXPECT_EQ(drain(*one), "\x8a\x01l");  // 999 = 38 x 26 + 11
}

TEST_F(ConnectionTest, WaitsForThePongOfALargeMessage) {
  const auto one = client();
  subscribe(*one);
  const std::string large(Connection::kPieceBytes + 10, 'x');
  hub_.publish("/a", 1, large);
  const std::string sent = drain(*one);
  EXPECT_EQ(sent.substr(0, 2), "\x02\x0d");  // the head of the message
  EXPECT_EQ(sent.substr(15, 10), "\x00\x7f\0\0\0\0\0\x02\0\0"s);
  EXPECT_EQ(sent.substr(25 + Connection::kPieceBytes),
            "\x80\x0axxxxxxxxxx\x89\x05"
            "frame");
  hub_.publish("/a", 2, "old");
  hub_.publish("/a", 3, "new");
  EXPECT_EQ(drain(*one), "");
  one->receive(pong(), kCame);
  EXPECT_TRUE(drain(*one).ends_with("new"));
}

TEST_F(ConnectionTest, KeepsAPieceAloneForASlowReader) {
  const auto one = client();
  subscribe(*one);
  hub_.publish("/a", 1, std::string(std::size_t{16} << 20U, 'x'));
  one->sent(one->to_send().size(), kCame);
  for (int i = 0; i < 10; ++i) EXPECT_LE(one->to_send().size(), Connection::kPieceBytes + 10);
  one->receive("\x89\x80mask"s, kCame);  // its pong goes between the pieces
  one->sent(one->to_send().size() - 1, kCame);
  EXPECT_EQ(one->to_send(), "x");
  one->sent(1, kCame);
  EXPECT_TRUE(one->to_send().starts_with("\x8a\0\x00\x7f"s));
  one->receive("\x81\x00"s, kCame);  // and so does a close frame
  EXPECT_EQ(one->to_send().substr(one->to_send().find("\x88")).substr(2, 2), "\x03\xea");
  drain(*one);
  EXPECT_TRUE(one->is_sent());
}

TEST_F(ConnectionTest, DropsWhoIsIdle) {
  Connection half(site_, kCame), reader(site_, kCame);
  half.receive("GET / HTTP/1.1\r\n", kCame + seconds(19));  // which is no progress
  reader.receive("GET /app.js HTTP/1.1\r\nHost: localhost\r\n\r\n", kCame + seconds(19));
  half.tick(kCame + seconds(19));
  EXPECT_FALSE(half.is_over());
  half.tick(kCame + seconds(20));
  EXPECT_TRUE(half.is_over());
  reader.tick(kCame + seconds(38));
  EXPECT_FALSE(reader.is_over());
  reader.sent(reader.to_send().substr(0, 1).size(), kCame + seconds(38));
  EXPECT_EQ(reader.idle_since(), kCame + seconds(38));
  reader.tick(kCame + seconds(57));
  EXPECT_FALSE(reader.is_over());
  reader.tick(kCame + seconds(58));
  EXPECT_TRUE(reader.is_over());
}

TEST_F(ConnectionTest, PingsQuietClientsAndDropsTheGone) {
  const auto there = client(), gone = client();
  for (const auto* one : {&there, &gone}) {
    (*one)->tick(kCame + seconds(29));
    EXPECT_EQ(drain(**one), "");
    (*one)->tick(kCame + seconds(30));
    EXPECT_EQ(drain(**one),
              "\x89\x05"
              "frame");
  }
  there->receive(pong(), kCame + seconds(40));
  for (const auto* one : {&there, &gone}) (*one)->tick(kCame + seconds(90));
  EXPECT_TRUE(there->is_client());
  EXPECT_TRUE(gone->is_over());
  EXPECT_EQ(hub_.clients(), 1U);
}

TEST_F(ConnectionTest, DropsClientsThatNeverRead) {
  const auto one = client();
  const ClientId id{1};
  for (int i = 0; i < 9; ++i) hub_.answer_text(id, std::string(std::size_t{1} << 20U, 'x'));
  one->tick(kCame);
  EXPECT_TRUE(one->is_over());
  EXPECT_EQ(hub_.clients(), 0U);
}

TEST_F(ConnectionTest, SaysThatTheServerEnds) {
  const auto one = client();
  one->go_away(kCame);
  EXPECT_EQ(drain(*one), "\x88\x02\x03\xe9");
  EXPECT_TRUE(one->is_sent());
}

}  // namespace
}  // namespace fathom::test
