// SPDX-License-Identifier: MIT
// The frames of WebSocket: the examples of RFC 6455, messages in any pieces, and errors.

#include "live/socket/http.hpp"
#include "live/socket/web_socket.hpp"
#include "support/expect.hpp"

namespace fathom {
namespace {

using namespace std::string_literals;

constexpr std::size_t kMostBytes = 100000;

/// A frame of a client: with a mask.
std::string client_frame(unsigned first, std::string_view payload, std::string_view mask = "\x37\xfa\x21\x3d") {
  std::string frame = frame_head(Opcode::kText, true, payload.size());
  frame[0] = static_cast<char>(first);
  frame[1] = static_cast<char>(static_cast<unsigned char>(frame[1]) | 0x80U);
  frame += mask;
  for (std::size_t i = 0; i < payload.size(); ++i) frame += static_cast<char>(payload[i] ^ mask[i % 4]);
  return frame;
}

/// "text Hello" for each message, and "error 1002" at the end of invalid bytes. `size_of` returns sizes of pieces.
template <class SizeOf>
std::vector<std::string> read_frames(std::string_view bytes, SizeOf size_of) {
  std::vector<std::string> read;
  WebSocketReader reader(kMostBytes);
  const auto name = [](Opcode opcode) {
    return opcode == Opcode::kText     ? "text "s
           : opcode == Opcode::kBinary ? "binary "s
           : opcode == Opcode::kClose  ? "close "s
           : opcode == Opcode::kPing   ? "ping "s
                                       : "pong "s;
  };
  try {
    while (!bytes.empty()) {
      std::string_view piece = bytes.substr(0, size_of());
      bytes.remove_prefix(piece.size());
      while (const auto message = reader.take(piece)) read.push_back(name(message->opcode) + message->payload);
      EXPECT_TRUE(piece.empty());
    }
  } catch (const WebSocketError& error) {
    read.push_back("error " + std::to_string(static_cast<int>(error.code())));
  }
  return read;
}

std::vector<std::string> read_frames(std::string_view bytes) {
  const auto whole = read_frames(bytes, [&] { return bytes.size(); });
  const auto bytewise = read_frames(bytes, [] { return std::size_t{1}; });
  EXPECT_EQ(whole, bytewise);
  return whole;
}

std::string error_of(std::string_view bytes) {
  const auto got = read_frames(bytes);
  return got.empty() ? "nothing" : got.back();
}

using Texts = std::vector<std::string>;

// RFC 6455, section 5.7. The server sends frames without a mask, and reads frames with one.
TEST(WebSocketTest, SendsTheExamplesOfTheRfc) {
  EXPECT_EQ(frame_head(Opcode::kText, true, 5) + "Hello", "\x81\x05\x48\x65\x6c\x6c\x6f");
  EXPECT_EQ(frame_head(Opcode::kText, false, 3) + "Hel", "\x01\x03\x48\x65\x6c");
  EXPECT_EQ(frame_head(Opcode::kContinuation, true, 2) + "lo", "\x80\x02\x6c\x6f");
  EXPECT_EQ(control_frame(Opcode::kPing, "Hello"), "\x89\x05\x48\x65\x6c\x6c\x6f");
  EXPECT_EQ(frame_head(Opcode::kBinary, true, 256), "\x82\x7e\x01\x00"s);
  EXPECT_EQ(frame_head(Opcode::kBinary, true, 65536), "\x82\x7f\x00\x00\x00\x00\x00\x01\x00\x00"s);
  EXPECT_EQ(frame_head(Opcode::kBinary, true, 125), "\x82\x7d");
  EXPECT_EQ(frame_head(Opcode::kBinary, true, 126), "\x82\x7e\x00\x7e"s);
  EXPECT_EQ(frame_head(Opcode::kBinary, true, 65535), "\x82\x7e\xff\xff");
  EXPECT_EQ(close_frame(CloseCode::kProtocolError, "why"), "\x88\x05\x03\xeawhy");
  EXPECT_EQ(close_frame(CloseCode::kNormal, std::string(500, 'x')).size(), 2U + 125U);
}

TEST(WebSocketTest, ReadsTheExamplesOfTheRfc) {
  EXPECT_EQ(read_frames("\x81\x85\x37\xfa\x21\x3d\x7f\x9f\x4d\x51\x58"), Texts{"text Hello"});
  EXPECT_EQ(read_frames("\x8a\x85\x37\xfa\x21\x3d\x7f\x9f\x4d\x51\x58"), Texts{"pong Hello"});
  EXPECT_EQ(read_frames(client_frame(0x01, "Hel") + client_frame(0x80, "lo")), Texts{"text Hello"});
  EXPECT_EQ(read_frames(client_frame(0x82, std::string(256, 'x'))), Texts{"binary " + std::string(256, 'x')});
  EXPECT_EQ(read_frames(client_frame(0x82, std::string(65536, 'x'))), Texts{"binary " + std::string(65536, 'x')});
  EXPECT_EQ(read_frames("\x81\x05\x48\x65\x6c\x6c\x6f"), Texts{"error 1002"});  // without a mask, section 5.1
}

// Section 5.4: control frames come between the fragments of a message.
TEST(WebSocketTest, ReadsControlFramesBetweenFragments) {
  EXPECT_EQ(read_frames(client_frame(0x02, "a") + client_frame(0x89, "ping") + client_frame(0x00, "") +
                        client_frame(0x8a, "") + client_frame(0x80, "b") + client_frame(0x81, "")),
            (Texts{"ping ping", "pong ", "binary ab", "text "}));
}

TEST(WebSocketTest, RefusesWhatTheRfcForbids) {
  for (const unsigned bit : {0x40U, 0x20U, 0x10U}) EXPECT_EQ(error_of(client_frame(0x81 | bit, "x")), "error 1002");
  for (const unsigned code : {3U, 4U, 5U, 6U, 7U, 11U, 12U, 13U, 14U, 15U}) {
    EXPECT_EQ(error_of(client_frame(0x80 | code, "x")), "error 1002") << code;
  }
  for (const unsigned code : {8U, 9U, 10U}) {
    EXPECT_EQ(error_of(client_frame(code, "")), "error 1002") << code;  // in fragments
    EXPECT_EQ(error_of(client_frame(0x80 | code, std::string(126, 'x'))), "error 1002") << code;
  }
  for (const unsigned first : {0x81U, 0x82U, 0x88U, 0x89U}) {
    EXPECT_EQ(error_of(std::string{static_cast<char>(first), '\0'}), "error 1002") << first;  // no mask
  }
  EXPECT_EQ(error_of(client_frame(0x80, "x")), "error 1002");  // of no message
  EXPECT_EQ(error_of(client_frame(0x01, "x") + client_frame(0x81, "x")), "error 1002");
  EXPECT_EQ(error_of("\x82\xfe\x00\x7dmask"s), "error 1002");  // 125 in two bytes
  EXPECT_EQ(error_of("\x82\xff\x00\x00\x00\x00\x00\x00\xff\xffmask"s), "error 1002");
  EXPECT_EQ(error_of("\x82\xff\x80\x00\x00\x00\x00\x00\x00\x00mask"s), "error 1002");
}

TEST(WebSocketTest, RefusesMessagesThatAreTooLarge) {
  EXPECT_EQ(read_frames(client_frame(0x82, std::string(kMostBytes, 'x'))).size(), 1U);
  EXPECT_EQ(error_of(client_frame(0x82, std::string(kMostBytes + 1, 'x'))), "error 1009");
  EXPECT_EQ(error_of("\x82\xff\x7f\xff\xff\xff\xff\xff\xff\xffmask"s), "error 1009");  // before any of it comes
  EXPECT_EQ(error_of(client_frame(0x02, "x") + "\x80\xff\x7f\xff\xff\xff\xff\xff\xff\xffmask"s), "error 1009");
  std::string fragments = client_frame(0x02, std::string(kMostBytes / 2, 'x'));
  fragments += client_frame(0x00, std::string(kMostBytes / 2, 'x')) + client_frame(0x00, "");
  EXPECT_EQ(error_of(fragments), "nothing");
  EXPECT_EQ(error_of(fragments + client_frame(0x80, "x")), "error 1009");
}

TEST(WebSocketTest, RefusesTextsThatAreNoUtf8) {
  for (const std::string& text : {"\xc3\xa9"s, "\xe2\x82\xac"s, "\xf4\x8f\xbf\xbf"s, "\0"s}) {
    EXPECT_EQ(error_of(client_frame(0x81, text)), "text " + text);
  }
  for (const std::string& text : {"\xff"s, "\xc0\x80"s, "\xed\xa0\x80"s, "\xf4\x90\x80\x80"s, "\xe2\x82"s}) {
    EXPECT_EQ(error_of(client_frame(0x81, text)), "error 1007");
    EXPECT_EQ(error_of(client_frame(0x82, text)), "binary " + text);
  }
  EXPECT_EQ(error_of(client_frame(0x01, "\xe2") + client_frame(0x80, "\x82\xac")), "text \xe2\x82\xac");
}

TEST(WebSocketTest, ChecksCloseFrames) {
  const auto close = [](unsigned code, const std::string& why) {
    return std::string{static_cast<char>(code >> 8U), static_cast<char>(code)} + why;
  };
  EXPECT_EQ(error_of(client_frame(0x88, "")), "close ");
  EXPECT_EQ(error_of(client_frame(0x88, "\x03")), "error 1002");
  for (const unsigned code : {1000U, 1001U, 1003U, 1007U, 1011U, 3000U, 4999U}) {
    EXPECT_EQ(error_of(client_frame(0x88, close(code, "why"))), "close " + close(code, "why")) << code;
  }
  for (const unsigned code : {0U, 999U, 1004U, 1005U, 1006U, 1015U, 1016U, 2999U, 5000U, 65535U}) {
    EXPECT_EQ(error_of(client_frame(0x88, close(code, "why"))), "error 1002") << code;
  }
  EXPECT_EQ(error_of(client_frame(0x88, close(1000, "\xff"))), "error 1007");
}

RC_GTEST_PROP(WebSocketProperty, ReadsMessagesInAnyFragmentsAndPieces, ()) {
  std::string bytes;
  Texts expected;
  const auto messages = *rc::gen::inRange(1, 6);
  for (int i = 0; i < messages; ++i) {
    // Lengths around the limits of the three forms, most of them short.
    const auto size =
        *rc::gen::oneOf(rc::gen::inRange<std::size_t>(0, 300), rc::gen::inRange<std::size_t>(65530, 65540));
    std::string payload(size, ' ');
    for (std::size_t k = 0; k < size; ++k) payload[k] = static_cast<char>('a' + (k * k + i) % 26);
    const auto mask = *rc::gen::container<std::string>(4, rc::gen::arbitrary<char>());
    const bool is_text = *rc::gen::arbitrary<bool>();
    const auto cuts = *rc::gen::container<std::vector<std::size_t>>(*rc::gen::inRange(0, 4),
                                                                    rc::gen::inRange<std::size_t>(0, size + 1));
    std::vector<std::size_t> ends = cuts;
    ends.push_back(size);
    std::sort(ends.begin(), ends.end());
    std::size_t begin = 0;
    for (std::size_t k = 0; k < ends.size(); ++k) {
      const unsigned first = (k == 0 ? (is_text ? 1U : 2U) : 0U) | (k + 1 == ends.size() ? 0x80U : 0U);
      bytes += client_frame(first, std::string_view(payload).substr(begin, ends[k] - begin), mask);
      begin = ends[k];
      if (k + 1 == ends.size() || !*rc::gen::arbitrary<bool>()) continue;
      bytes += client_frame(0x89, "between", mask);
      expected.push_back("ping between");
    }
    expected.push_back((is_text ? "text " : "binary ") + payload);
  }
  const auto most = *rc::gen::inRange<std::size_t>(1, 5000);
  std::size_t turn = most;
  RC_ASSERT(read_frames(bytes, [&] { return turn = turn * 7919 % most + 1; }) == expected);
}

RC_GTEST_PROP(WebSocketProperty, ReadsAnyBytesWithoutKeepingMore, (const std::string& bytes)) {
  const auto at_once = read_frames(bytes, [&] { return bytes.size(); });
  RC_ASSERT(at_once == read_frames(bytes, [] { return std::size_t{1}; }));
}

// The first is the example of RFC 6455, section 1.3, the others are from Python's hashlib. They need one to four blocks
// of SHA-1, with every length of the last one.
TEST(AcceptKeyTest, IsThatOfTheRfc) {
  EXPECT_EQ(accept_key("dGhlIHNhbXBsZSBub25jZQ=="), "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");
  EXPECT_EQ(accept_key(""), "Kfh9QIsMVZcl6xEPYxPHzW8SZ8w=");
  EXPECT_EQ(accept_key(std::string(19, 'b')), "apXrzWpMj+UlUSR+ruXFU2N59hs=");
  EXPECT_EQ(accept_key(std::string(200, 'a')), "W7nwfYCuwcatB7HT3divf5cVU2A=");
}

TEST(HttpRequestTest, ReadsHeads) {
  const auto request = parse_request(
      "GET /app.js?x=1 HTTP/1.1\r\nHost:localhost:8765\r\nCONNECTION: keep-alive , Upgrade\t\r\nconnection: "
      "other\r\n\r\n");
  ASSERT_TRUE(request);
  EXPECT_EQ(request->method, "GET");
  EXPECT_EQ(request->path, "/app.js");
  EXPECT_EQ(request->header("host"), "localhost:8765");
  EXPECT_EQ(request->header("connection"), "keep-alive , Upgrade, other");
  for (const char* word : {"keep-alive", "upgrade", "other"}) EXPECT_TRUE(request->lists("connection", word)) << word;
  EXPECT_FALSE(request->lists("connection", "up"));
  EXPECT_FALSE(request->lists("upgrade", "websocket"));
  EXPECT_TRUE(parse_request("GET / HTTP/1.0\r\n\r\n"));
}

TEST(HttpRequestTest, RefusesWhatIsNone) {
  for (const std::string& head :
       {"\r\n\r\n"s, "GET\r\n\r\n"s, "GET /\r\n\r\n"s, "GET / HTTP/1.1\r\n\r\n"s, "GET / HTTP/2.0\r\nhost: a\r\n\r\n"s,
        "GET  / HTTP/1.1\r\nhost: a\r\n\r\n"s, "GET / HTTP/1.1 \r\nhost: a\r\n\r\n"s,
        "GET x HTTP/1.1\r\nhost: a\r\n\r\n"s, "G\0T / HTTP/1.1\r\nhost: a\r\n\r\n"s,
        "GET /\n HTTP/1.1\r\nhost: a\r\n\r\n"s, "GET / HTTP/1.1\r\nhost\r\n\r\n"s,
        "GET / HTTP/1.1\r\nhost : a\r\n\r\n"s, "GET / HTTP/1.1\r\nhost: a\r\n folded\r\n\r\n"s,
        "GET / HTTP/1.1\r\n: a\r\nhost: a\r\n\r\n"s, "GET / HTTP/1.1\r\nhost: a\r\nHost: b\r\n\r\n"s,
        "GET / HTTP/1.1\r\nhost: a\r\norigin: a\r\norigin: b\r\n\r\n"s, "GET / HTTP/1.1\r\nhost: a\nx: b\r\n\r\n"s,
        "GET / HTTP/1.1\r\nhost: a\rb\r\n\r\n"s, "GET / HTTP/1.1\r\nhost: a\0b\r\n\r\n"s}) {
    EXPECT_FALSE(parse_request(head)) << head;
  }
}

}  // namespace
}  // namespace fathom
