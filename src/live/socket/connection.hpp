// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "live/exchange.hpp"
#include "live/socket/http_request.hpp"
#include "live/socket/web_socket.hpp"
#include "live/web_access.hpp"

namespace fathom {

/// Pages, layout and exchange, for all connections of a server.
struct LiveSite {
  WebAccess access;
  std::function<std::string()> layout;  ///< makes the content of /layout.json
  Exchange* exchange = nullptr;
};

/// One connection as bytes that come and go; it knows no sockets. First comes a request of HTTP. It gets a reply, after
/// which the connection ends, or makes the connection a WebSocket, and with it a client of the exchange.
class Connection {
 public:
  using TimePoint = LiveClock::time_point;

  static constexpr std::size_t kMostClients = 16;
  static constexpr std::size_t kMostHeadBytes = std::size_t{16} << 10U;  ///< of a request
  static constexpr std::size_t kPieceBytes = std::size_t{128} << 10U;    ///< of a frame of WebSocket that is sent
  static constexpr std::chrono::seconds kIdle{20};   ///< without progress, where it is no client: it is dropped
  static constexpr std::chrono::seconds kQuiet{30};  ///< since a client answered a ping: it gets another
  static constexpr std::chrono::seconds kGone{90};   ///< since a client answered a ping: it is dropped

  /// `site` outlives this.
  Connection(LiveSite& site, TimePoint now) : site_(site), since_(now) {}
  ~Connection() { leave(); }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  /// Bytes came.
  void receive(std::string_view bytes, TimePoint now);
  [[nodiscard]] bool wants_to_send() const;
  /// The next bytes to send: a part of the waiting bytes, valid until the next call.
  [[nodiscard]] std::string_view to_send();
  /// The first `count` bytes of to_send() are sent.
  void sent(std::size_t count, TimePoint now);
  /// Time passes: a client may get a ping, and a connection that is idle or gone is dropped.
  void tick(TimePoint now);
  /// The server ends: a client gets a close frame.
  void go_away(TimePoint now);
  void drop() { state_ = State::kOver, leave(); }

  [[nodiscard]] bool is_client() const { return state_ == State::kClient; }
  /// The last byte is sent. The other side closes the connection first, so that it gets all of them.
  [[nodiscard]] bool is_sent() const { return state_ == State::kEnding && !wants_to_send(); }
  [[nodiscard]] bool is_over() const { return state_ == State::kOver; }
  /// The time of its start, or of the last progress after its request was whole.
  [[nodiscard]] TimePoint idle_since() const { return since_; }

 private:
  enum class State : std::uint8_t { kRequest, kClient, kEnding, kOver };
  /// After a large message a ping is sent, and nothing more until the client has answered. It answers in order, so
  /// that what waits for a slow client waits here, where newer messages replace older ones, and not in buffers on the
  /// way.
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
  TimePoint answered_ = {};  ///< when a client answered a ping, or came
  std::string head_;         ///< of the request, as far as it came
  ClientId client_ = kNoClient;
  WebSocketReader reader_{kMaxClientBytes};
  std::string out_;  ///< whole frames, or a reply; `out_sent_` bytes of it are sent
  std::size_t out_sent_ = 0;
  std::optional<Outgoing> message_;  ///< `message_sent_` bytes of it went into out_
  std::size_t message_sent_ = 0;
  std::optional<std::string> pong_;  ///< the newest that is due: a client may get one for many pings
  Ping ping_ = Ping::kNone;
};

}  // namespace fathom
