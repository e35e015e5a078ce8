// SPDX-License-Identifier: MIT
#pragma once
// One port for the page's files and for WebSockets: its connections, and the sockets of these.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "live/socket/http.hpp"
#include "live/socket/web_socket.hpp"
#include "live/topic_hub.hpp"

namespace fathom {

/// Access, layout and hub of all connections of a server.
struct LiveSite {
  WebAccess access;
  std::function<std::string()> layout;  ///< makes the content of /layout.json
  TopicHub* hub = nullptr;
};

/// The bytes of one connection, in both directions, without sockets. It begins with a request of HTTP. The reply ends
/// the connection, or makes it a WebSocket and a client of the hub.
class Connection {
 public:
  using TimePoint = LiveClock::time_point;

  static constexpr std::size_t kMostClients = 16;
  static constexpr std::size_t kMostHeadBytes = std::size_t{16} << 10U;  ///< of a request
  static constexpr std::size_t kPieceBytes = std::size_t{128} << 10U;    ///< of an outgoing frame of WebSocket
  static constexpr std::chrono::seconds kIdle{20};   ///< without progress, unless it is a client: it is dropped
  static constexpr std::chrono::seconds kQuiet{30};  ///< after a client answered a ping, it gets another
  static constexpr std::chrono::seconds kGone{90};   ///< after a client answered a ping, it is dropped

  /// `site` outlives this.
  Connection(LiveSite& site, TimePoint now) : site_(site), since_(now) {}
  ~Connection() { leave(); }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  /// Takes bytes of the client.
  void receive(std::string_view bytes, TimePoint now);
  [[nodiscard]] bool wants_to_send() const;
  /// The next bytes to send, valid until the next call.
  [[nodiscard]] std::string_view to_send();
  /// Reports that the first `count` bytes of to_send() are sent.
  void sent(std::size_t count, TimePoint now);
  /// Time passes: a client may get a ping, and a connection that is idle or gone is dropped.
  void tick(TimePoint now);
  /// The server ends: a client gets a close frame.
  void go_away(TimePoint now);
  void drop() { state_ = State::kOver, leave(); }

  [[nodiscard]] bool is_client() const { return state_ == State::kClient; }
  /// The last byte is sent. The client closes the connection first, so that it gets all bytes.
  [[nodiscard]] bool is_sent() const { return state_ == State::kEnding && !wants_to_send(); }
  [[nodiscard]] bool is_over() const { return state_ == State::kOver; }
  /// The time of its start, or of the last progress after the whole request.
  [[nodiscard]] TimePoint idle_since() const { return since_; }

 private:
  enum class State : std::uint8_t { kRequest, kClient, kEnding, kOver };
  /// After a large message the server sends a ping, and waits for its answer before it sends more. So the messages for
  /// a slow client wait here, where newer ones replace older ones, and not in buffers of the network.
  enum class Ping : std::uint8_t { kNone, kDue, kSent };

  void leave();
  void receive_request(std::string_view& bytes, TimePoint now);
  void receive_messages(std::string_view bytes, TimePoint now);
  void handle(WebSocketMessage message, TimePoint now);
  void answer(const HttpRequest& request, TimePoint now);
  void open(const HttpRequest& request, TimePoint now);
  void reply(std::string_view status, std::string_view type, std::string_view content,
             std::string_view more_headers = {});
  void refuse(std::string_view status, std::string_view why, std::string_view more_headers = {});
  void end(const std::string& close, TimePoint now);
  [[nodiscard]] bool has_piece() const;
  void fill();
  void append_piece();

  LiveSite& site_;
  State state_ = State::kRequest;
  TimePoint since_;
  TimePoint answered_ = {};  ///< when a client answered a ping, or connected
  std::string head_;         ///< received part of the request
  ClientId client_ = kNoClient;
  WebSocketReader reader_{kMaxClientBytes};
  std::string out_;  ///< whole frames, or a reply; `out_sent_` bytes of it are sent
  std::size_t out_sent_ = 0;
  std::optional<Outgoing> message_;  ///< `message_sent_` bytes of it went into out_
  std::size_t message_sent_ = 0;
  std::optional<std::string> pong_;  ///< the newest that is due: one may answer several pings
  Ping ping_ = Ping::kNone;
};

struct LiveServerOptions {
  std::string address = "127.0.0.1";    ///< to listen on, a number address
  std::uint16_t port = 8765;            ///< 0: any that is free
  std::vector<std::string> origins;     ///< of other pages that may connect
  std::function<std::string()> layout;  ///< makes the content of /layout.json; called from the server's thread
};

/// Most connections at once. Another one replaces the connection that is idle for the longest time, except clients.
inline constexpr std::size_t kMostConnections = 64;

/// Listens from its constructor on, and serves an TopicHub in a separate thread until it is destroyed.
class LiveServer {
 public:
  /// Throws InputError for a wrong option, SystemError when the port is not available.
  explicit LiveServer(LiveServerOptions options);
  ~LiveServer();
  LiveServer(const LiveServer&) = delete;
  LiveServer& operator=(const LiveServer&) = delete;

  [[nodiscard]] std::uint16_t port() const;
  /// `hub` outlives this.
  void start(TopicHub& hub);
  /// There is a message for a client. From any thread.
  void wake();
  /// Ends all connections.
  void stop();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace fathom
