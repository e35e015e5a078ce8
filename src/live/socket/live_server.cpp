// SPDX-License-Identifier: MIT
#include "live/socket/live_server.hpp"

#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstring>
#include <map>
#include <optional>
#include <span>
#include <string_view>
#include <thread>
#include <utility>

#include <fmt/format.h>
#include <libwebsockets.h>

#include <fathom/base/error.hpp>

#include "base/text.hpp"
#include "live/page_files.hpp"
#include "live/web_access.hpp"

namespace fathom {

namespace {

constexpr std::size_t kPieceBytes = std::size_t{128} << 10U;  // sent at once; more would hold up other clients
constexpr std::size_t kHeadBytes = 2048;                      // of a reply of HTTP

/// Bytes to be sent, after the room that libwebsockets wants before them.
class PieceBuffer {
 public:
  unsigned char* fill(std::string_view bytes) {
    std::memcpy(bytes_.data() + LWS_PRE, bytes.data(), bytes.size());
    return bytes_.data() + LWS_PRE;
  }

 private:
  std::vector<unsigned char> bytes_ = std::vector<unsigned char>(LWS_PRE + kPieceBytes);
};

std::string header_of(lws* socket, lws_token_indexes header) {
  std::string text(static_cast<std::size_t>(std::max(lws_hdr_total_length(socket, header), 0)) + 1, '\0');
  const int length = lws_hdr_copy(socket, text.data(), static_cast<int>(text.size()), header);
  text.resize(static_cast<std::size_t>(std::max(length, 0)));
  return text;
}

bool is_v6_address(const std::string& address) {
  std::array<unsigned char, sizeof(in6_addr)> bytes = {};
  if (::inet_pton(AF_INET6, address.c_str(), bytes.data()) == 1) return true;
  if (::inet_pton(AF_INET, address.c_str(), bytes.data()) == 1) return false;
  throw InputError(fmt::format("listen: '{}' is not a number address, such as 127.0.0.1", one_line(address)));
}

}  // namespace

class LiveServer::Impl {
 public:
  explicit Impl(LiveServerOptions options) : options_(std::move(options)), access_(options_.origins) {
    lws_set_log_level(0, nullptr);
    lws_context_creation_info info = {};
    info.port = options_.port;
    info.iface = options_.address.c_str();
    info.protocols = protocols.data();
    info.vhost_name = "fathom";
    info.server_string = "fathom";
    info.user = this;
    info.fd_limit_per_thread = kMostConnections;
    info.keepalive_timeout = kIdleSeconds;
    info.timeout_secs = kIdleSeconds;
    info.retry_and_idle_policy = &kPings;
    info.options = LWS_SERVER_OPTION_FAIL_UPON_UNABLE_TO_BIND | LWS_SERVER_OPTION_DISABLE_OS_CA_CERTS;
    if (!is_v6_address(options_.address)) info.options |= LWS_SERVER_OPTION_DISABLE_IPV6;
    context_ = lws_create_context(&info);
    lws_vhost* const host = context_ == nullptr ? nullptr : lws_get_vhost_by_name(context_, info.vhost_name);
    if (host == nullptr) {
      if (context_ != nullptr) lws_context_destroy(context_);
      throw SystemError(fmt::format("cannot listen on {}:{}: it is in use, or not of this computer", options_.address,
                                    options_.port));
    }
    port_ = static_cast<std::uint16_t>(lws_get_vhost_listen_port(host));
  }

  ~Impl() { stop(); }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  [[nodiscard]] std::uint16_t port() const { return port_; }

  void start(Exchange& exchange) {
    exchange_ = &exchange;
    thread_ = std::thread([this] {
      while (!stopping_ && lws_service(context_, 0) >= 0) {
      }
    });
  }

  void wake() {
    if (context_ != nullptr) lws_cancel_service(context_);
  }

  void stop() {
    if (context_ == nullptr) return;
    stopping_ = true;
    lws_cancel_service(context_);
    if (thread_.joinable()) thread_.join();
    lws_context_destroy(std::exchange(context_, nullptr));
  }

 private:
  static constexpr int kIdleSeconds = 20;
  /// A client that answers no ping is gone.
  static constexpr lws_retry_bo_t kPings = {nullptr, 0, 0, 30, 90, 0};

  /// A client of the protocol.
  struct Connection {
    ClientId client = kNoClient;
    std::string incoming;              ///< the pieces of a message that came so far
    std::optional<Outgoing> outgoing;  ///< a message of which `sent` bytes are sent
    std::size_t sent = 0;
    /// After a large message a ping is sent, and nothing more until the client has answered. It answers in order, so
    /// that what waits for a slow client waits here, where newer messages replace older ones, and not in buffers on the
    /// way.
    enum class Ping : std::uint8_t { kNone, kDue, kSent } ping = Ping::kNone;
  };
  /// A file on its way to a browser.
  struct Reply {
    std::string content;
    std::size_t sent = 0;
  };

  static int on_event(lws* socket, lws_callback_reasons reason, void* /*session*/, void* in, std::size_t length) {
    lws_context* const context = lws_get_context(socket);
    auto* const self = context == nullptr ? nullptr : static_cast<Impl*>(lws_context_user(context));
    if (self == nullptr || self->exchange_ == nullptr) return 0;
    try {
      return self->handle(socket, reason, std::string_view(static_cast<const char*>(in), in == nullptr ? 0 : length));
    } catch (const std::exception&) {  // no memory: this connection ends, the others go on
      return -1;
    }
  }

  int handle(lws* socket, lws_callback_reasons reason, std::string_view in) {
    switch (reason) {
      case LWS_CALLBACK_HTTP:
        return begin_reply(socket, in);
      case LWS_CALLBACK_HTTP_WRITEABLE:
        return continue_reply(socket);
      case LWS_CALLBACK_CLOSED_HTTP:
        replies_.erase(socket);
        return 0;
      case LWS_CALLBACK_FILTER_PROTOCOL_CONNECTION:
        return may_connect(socket) ? 0 : -1;
      case LWS_CALLBACK_ESTABLISHED:
        connections_[socket].client = exchange_->connect();
        lws_callback_on_writable(socket);
        return 0;
      case LWS_CALLBACK_RECEIVE:
        return receive(socket, in);
      case LWS_CALLBACK_RECEIVE_PONG:
        return go_on(socket);
      case LWS_CALLBACK_SERVER_WRITEABLE:
        return send(socket);
      case LWS_CALLBACK_CLOSED:
        disconnect(socket);
        return 0;
      case LWS_CALLBACK_EVENT_WAIT_CANCELLED:
        return send_news();
      default:
        return 0;
    }
  }

  // HTTP.

  int begin_reply(lws* socket, std::string_view path) {
    const PageFile* const file = find_page_file(path);
    const bool is_layout = path == "/layout.json";
    if (!access_.allows_host(header_of(socket, WSI_TOKEN_HOST))) {
      return refuse_reply(socket, HTTP_STATUS_FORBIDDEN, "this name is not the server's");
    }
    if (lws_hdr_total_length(socket, WSI_TOKEN_GET_URI) == 0) {
      return refuse_reply(socket, HTTP_STATUS_METHOD_NOT_ALLOWED, "only GET is served");
    }
    if (file == nullptr && !is_layout) return refuse_reply(socket, HTTP_STATUS_NOT_FOUND, "there is no such file");
    if (is_layout) return send_reply(socket, HTTP_STATUS_OK, "application/json", options_.layout(), true);
    return send_reply(socket, HTTP_STATUS_OK, file->type, std::string(file->content), false);
  }

  int refuse_reply(lws* socket, unsigned status, std::string_view why) {
    return send_reply(socket, status, "text/plain; charset=utf-8", fmt::format("fathom: {}\n", why), false);
  }

  int send_reply(lws* socket, unsigned status, std::string_view type, std::string content, bool is_download) {
    std::array<unsigned char, LWS_PRE + kHeadBytes> head = {};
    unsigned char* const begin = head.data() + LWS_PRE;
    unsigned char* at = begin;
    unsigned char* const end = head.data() + head.size() - 1;
    const auto add = [&](const char* name, std::string_view value) {
      return lws_add_http_header_by_name(socket, reinterpret_cast<const unsigned char*>(name),
                                         reinterpret_cast<const unsigned char*>(value.data()),
                                         static_cast<int>(value.size()), &at, end) == 0;
    };
    const std::string type_text(type);
    const bool is_whole =
        lws_add_http_common_headers(socket, status, type_text.c_str(), content.size(), &at, end) == 0 &&
        add("content-security-policy:", kPagePolicy) && add("x-content-type-options:", "nosniff") &&
        add("referrer-policy:", "no-referrer") && add("cache-control:", "no-cache") &&
        add("cross-origin-resource-policy:", "same-origin") &&
        (!is_download || add("content-disposition:", "attachment; filename=\"fathom-layout.json\""));
    if (!is_whole || lws_finalize_write_http_header(socket, begin, &at, end) != 0) return -1;
    replies_[socket] = {std::move(content)};
    lws_callback_on_writable(socket);
    return 0;
  }

  int continue_reply(lws* socket) {
    const auto found = replies_.find(socket);
    if (found == replies_.end()) return -1;
    Reply& reply = found->second;
    const std::string_view piece = std::string_view(reply.content).substr(reply.sent, kPieceBytes);
    reply.sent += piece.size();
    const bool is_last = reply.sent == reply.content.size();
    if (lws_write(socket, buffer_.fill(piece), piece.size(), is_last ? LWS_WRITE_HTTP_FINAL : LWS_WRITE_HTTP) < 0) {
      return -1;
    }
    if (!is_last) {
      lws_callback_on_writable(socket);
      return 0;
    }
    replies_.erase(found);
    return lws_http_transaction_completed(socket) != 0 ? -1 : 0;
  }

  // WebSocket.

  bool may_connect(lws* socket) {
    const std::string host = header_of(socket, WSI_TOKEN_HOST);
    const std::string_view protocol = lws_get_protocol(socket)->name;
    return protocol != protocols[0].name && connections_.size() < kMostClients && access_.allows_host(host) &&
           access_.allows_origin(header_of(socket, WSI_TOKEN_ORIGIN), host);
  }

  int receive(lws* socket, std::string_view piece) {
    Connection& connection = connections_.at(socket);
    if (connection.incoming.size() + piece.size() > kMaxClientBytes) {
      lws_close_reason(socket, LWS_CLOSE_STATUS_MESSAGE_TOO_LARGE, nullptr, 0);
      return -1;
    }
    connection.incoming.append(piece);
    if (lws_is_final_fragment(socket) == 0 || lws_remaining_packet_payload(socket) > 0) return 0;
    const std::string message = std::exchange(connection.incoming, {});
    exchange_->receive(connection.client, std::as_bytes(std::span(message)), lws_frame_is_binary(socket) == 0,
                       LiveClock::now());
    return 0;
  }

  /// A piece of the message that is being sent, or of the next.
  int send(lws* socket) {
    Connection& connection = connections_.at(socket);
    if (exchange_->is_given_up(connection.client)) return -1;
    if (connection.ping == Connection::Ping::kSent) return 0;
    if (connection.ping == Connection::Ping::kDue) {
      connection.ping = Connection::Ping::kSent;
      return lws_write(socket, buffer_.fill("frame"), 5, LWS_WRITE_PING) < 0 ? -1 : 0;
    }
    if (!connection.outgoing) connection.outgoing = exchange_->next(connection.client), connection.sent = 0;
    if (!connection.outgoing) return 0;
    const Outgoing& message = *connection.outgoing;
    const bool is_first = connection.sent == 0;
    const std::string_view piece = piece_of(message, connection.sent);
    connection.sent += piece.size();
    const bool is_last = connection.sent == message.size();
    const int first = message.is_text ? LWS_WRITE_TEXT : LWS_WRITE_BINARY;
    const int how = (is_first ? first : LWS_WRITE_CONTINUATION) | (is_last ? 0 : LWS_WRITE_NO_FIN);
    if (lws_write(socket, buffer_.fill(piece), piece.size(), static_cast<lws_write_protocol>(how)) < 0) return -1;
    if (is_last && message.size() > kPieceBytes) connection.ping = Connection::Ping::kDue;
    if (is_last) connection.outgoing.reset();
    if (!is_last || connection.ping == Connection::Ping::kDue || exchange_->has_next(connection.client))
      lws_callback_on_writable(socket);
    return 0;
  }

  /// The client has answered the ping of its last large message, or one of libwebsockets.
  int go_on(lws* socket) {
    Connection& connection = connections_.at(socket);
    if (connection.ping == Connection::Ping::kSent) connection.ping = Connection::Ping::kNone;
    if (exchange_->has_next(connection.client)) lws_callback_on_writable(socket);
    return 0;
  }

  /// The head goes alone, if there is more.
  static std::string_view piece_of(const Outgoing& message, std::size_t sent) {
    const std::string_view head = message.head;
    if (sent < head.size()) return head.substr(sent, kPieceBytes);
    return std::string_view(*message.body).substr(sent - head.size(), kPieceBytes);
  }

  int send_news() {
    for (const auto& [socket, connection] : connections_) {
      if (exchange_->has_next(connection.client)) lws_callback_on_writable(socket);
    }
    return 0;
  }

  void disconnect(lws* socket) {
    const auto found = connections_.find(socket);
    if (found == connections_.end()) return;
    exchange_->disconnect(found->second.client);
    connections_.erase(found);
  }

  static constexpr lws_protocols protocol(const char* name) {
    return {name, &Impl::on_event, 0, std::size_t{16} << 10U, 0, nullptr, 0};
  }
  // The first one has the files; a WebSocket without a protocol ends there, too.
  static const std::array<lws_protocols, 4> protocols;

  LiveServerOptions options_;
  WebAccess access_;
  lws_context* context_ = nullptr;
  std::uint16_t port_ = 0;
  std::atomic<bool> stopping_ = false;
  Exchange* exchange_ = nullptr;
  std::map<lws*, Connection> connections_;
  std::map<lws*, Reply> replies_;
  PieceBuffer buffer_;
  std::thread thread_;
};

const std::array<lws_protocols, 4> LiveServer::Impl::protocols = {
    {protocol("http"), protocol("foxglove.sdk.v1"), protocol("foxglove.websocket.v1"), {}}};

LiveServer::LiveServer(LiveServerOptions options) : impl_(std::make_unique<Impl>(std::move(options))) {}
LiveServer::~LiveServer() = default;
std::uint16_t LiveServer::port() const { return impl_->port(); }
void LiveServer::start(Exchange& exchange) { impl_->start(exchange); }
void LiveServer::wake() { impl_->wake(); }
void LiveServer::stop() { impl_->stop(); }

}  // namespace fathom
