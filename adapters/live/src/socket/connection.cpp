// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "core/text.hpp"
#include "core/text/text_lines.hpp"
#include "live/socket/live_server.hpp"

namespace fathom {

namespace {

constexpr std::string_view kHeadEnd = "\r\n\r\n";
constexpr std::array<std::string_view, 2> kProtocols = {"foxglove.sdk.v1", "foxglove.websocket.v1"};

/// The first protocol of the client that the server knows; empty: it knows no protocol of the list.
std::string_view protocol_of(const HttpRequest& request) {
  for (const std::string_view protocol : split_cells(request.header("sec-websocket-protocol"))) {
    const auto* const found = std::find(kProtocols.begin(), kProtocols.end(), protocol);
    if (found != kProtocols.end()) return *found;
  }
  return {};
}

/// Whether a text is 16 bytes in base64.
bool is_key(std::string_view text) {
  return text.size() == 24 && text.find_first_not_of(kBase64Digits) == 22 && text.ends_with("==");
}

/// Sends the head in a separate piece if there is a body.
std::string_view piece_of(const Outgoing& message, std::size_t sent) {
  const std::string_view head = message.head;
  if (sent < head.size() || !message.body) return head.substr(sent, Connection::kPieceBytes);
  return std::string_view(*message.body).substr(sent - head.size(), Connection::kPieceBytes);
}

bool is_handshake(const HttpRequest& request) {
  return request.is_1_1 && request.lists("connection", "upgrade") && is_key(request.header("sec-websocket-key"));
}

}  // namespace

void Connection::leave() {
  if (client_ != kNoClient) site_.hub->disconnect(std::exchange(client_, kNoClient));
}

void Connection::tick(TimePoint now) {
  if (state_ == State::kClient) {
    if (now - answered_ >= kGone || site_.hub->is_given_up(client_)) return drop();
    if (now - answered_ >= kQuiet && ping_ == Ping::kNone) ping_ = Ping::kDue;
  } else if (now - since_ >= kIdle) {
    drop();
  }
}

void Connection::go_away(TimePoint now) {
  if (state_ == State::kClient) end(close_frame(CloseCode::kGoingAway), now);
}

// Incoming bytes.

void Connection::receive(std::string_view bytes, TimePoint now) {
  if (state_ == State::kRequest) receive_request(bytes, now);
  if (state_ == State::kClient) receive_messages(bytes, now);
}

void Connection::receive_request(std::string_view& bytes, TimePoint now) {
  const std::size_t had = head_.size();
  head_.append(bytes);
  const std::size_t end = head_.find(kHeadEnd, had - std::min(had, kHeadEnd.size() - 1));
  const std::size_t head_bytes = end == std::string::npos ? head_.size() : end + kHeadEnd.size();
  if (head_bytes > kMostHeadBytes) return refuse("431 Request Header Fields Too Large", "the request is too long");
  if (end == std::string::npos) return;
  bytes.remove_prefix(head_bytes - had);
  const std::optional<HttpRequest> request = parse_request(std::string_view(head_).substr(0, head_bytes));
  head_ = {};
  since_ = now;
  if (!request) return refuse("400 Bad Request", "this is no request of HTTP/1.1");
  answer(*request, now);
}

void Connection::receive_messages(std::string_view bytes, TimePoint now) {
  try {
    while (state_ == State::kClient) {
      std::optional<WebSocketMessage> message = reader_.take(bytes);
      if (!message) return;
      handle(std::move(*message), now);
    }
  } catch (const WebSocketError& error) {
    end(close_frame(error.code(), error.what()), now);
  }
}

void Connection::handle(WebSocketMessage message, TimePoint now) {
  switch (message.opcode) {
    case Opcode::kPing:
      pong_ = std::move(message.payload);
      return;
    case Opcode::kPong:
      if (ping_ == Ping::kSent) ping_ = Ping::kNone;
      answered_ = now;
      return;
    case Opcode::kClose:  // returns its code
      return end(control_frame(Opcode::kClose, message.payload.substr(0, 2)), now);
    default:
      return site_.hub->receive(client_, std::as_bytes(std::span(message.payload)), message.opcode == Opcode::kText,
                                now);
  }
}

void Connection::answer(const HttpRequest& request, TimePoint now) {
  if (!site_.access.allows_host(request.header("host"))) {
    return refuse("403 Forbidden", "this name is not the server's");
  }
  if (request.method != "GET") return refuse("405 Method Not Allowed", "only GET is served", "allow: GET\r\n");
  if (request.lists("upgrade", "websocket")) return open(request, now);
  if (request.path == "/layout.json") {
    return reply("200 OK", "application/json", site_.layout(),
                 "content-disposition: attachment; filename=\"fathom-layout.json\"\r\n");
  }
  const PageFile* const file = find_page_file(request.path);
  if (file == nullptr) return refuse("404 Not Found", "there is no such file");
  reply("200 OK", file->type, file->content);
}

void Connection::open(const HttpRequest& request, TimePoint now) {
  const std::string_view protocol = protocol_of(request);
  if (request.header("sec-websocket-version") != "13") {
    return refuse("426 Upgrade Required", "only version 13 of WebSocket is spoken", "sec-websocket-version: 13\r\n");
  }
  if (!is_handshake(request)) return refuse("400 Bad Request", "this is no handshake of WebSocket");
  if (!site_.access.allows_origin(request.header("origin"), request.header("host"))) {
    return refuse("403 Forbidden", "pages of this origin may not connect");
  }
  if (protocol.empty()) return refuse("400 Bad Request", "none of these protocols is spoken");
  if (site_.hub->clients() >= kMostClients) {
    return refuse("503 Service Unavailable", fmt::format("there are {} clients already", kMostClients));
  }
  client_ = site_.hub->connect();
  state_ = State::kClient;
  answered_ = now;
  out_ = fmt::format(
      "HTTP/1.1 101 Switching Protocols\r\nserver: fathom\r\nupgrade: websocket\r\nconnection: Upgrade\r\n"
      "sec-websocket-accept: {}\r\nsec-websocket-protocol: {}\r\n\r\n",
      accept_key(request.header("sec-websocket-key")), protocol);
}

// Outgoing bytes.

void Connection::reply(std::string_view status, std::string_view type, std::string_view content,
                       std::string_view more_headers) {
  state_ = State::kEnding;
  out_ = fmt::format(
      "HTTP/1.1 {}\r\nserver: fathom\r\ncontent-type: {}\r\ncontent-length: {}\r\nconnection: close\r\n"
      "content-security-policy: {}\r\nx-content-type-options: nosniff\r\nreferrer-policy: no-referrer\r\n"
      "cache-control: no-cache\r\ncross-origin-resource-policy: same-origin\r\n{}\r\n{}",
      status, type, content.size(), kPagePolicy, more_headers, content);
}

void Connection::refuse(std::string_view status, std::string_view why, std::string_view more_headers) {
  reply(status, "text/plain; charset=utf-8", fmt::format("fathom: {}\n", why), more_headers);
}

/// A close frame may come between the fragments of a message; the remaining fragments are never sent.
void Connection::end(const std::string& close, TimePoint now) {
  out_ += close;
  state_ = State::kEnding;
  since_ = now;
  message_.reset();
  leave();
}

bool Connection::has_piece() const {
  return pong_ || ping_ == Ping::kDue || (ping_ == Ping::kNone && (message_ || site_.hub->has_next(client_)));
}

bool Connection::wants_to_send() const { return out_sent_ < out_.size() || (state_ == State::kClient && has_piece()); }

std::string_view Connection::to_send() {
  if (out_.empty() && state_ == State::kClient) fill();
  return std::string_view(out_).substr(out_sent_);
}

void Connection::sent(std::size_t count, TimePoint now) {
  since_ = now;
  out_sent_ += count;
  if (out_sent_ == out_.size()) out_.clear(), out_sent_ = 0;
}

void Connection::fill() {
  if (pong_) out_ = control_frame(Opcode::kPong, *std::exchange(pong_, std::nullopt));
  if (ping_ == Ping::kDue) {
    out_ += control_frame(Opcode::kPing, "frame");
    ping_ = Ping::kSent;
  } else if (ping_ == Ping::kNone) {
    append_piece();
  }
}

void Connection::append_piece() {
  if (!message_) message_ = site_.hub->next(client_), message_sent_ = 0;
  if (!message_) return;
  const std::string_view piece = piece_of(*message_, message_sent_);
  const Opcode first = message_->is_text ? Opcode::kText : Opcode::kBinary;
  const Opcode opcode = message_sent_ == 0 ? first : Opcode::kContinuation;
  message_sent_ += piece.size();
  const bool is_last = message_sent_ == message_->size();
  out_.append(frame_head(opcode, is_last, piece.size())).append(piece);
  if (!is_last) return;
  if (message_->size() > kPieceBytes) ping_ = Ping::kDue;
  message_.reset();
}

}  // namespace fathom
