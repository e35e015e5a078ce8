// SPDX-License-Identifier: MIT
#include "live/socket/live_server.hpp"

#include <arpa/inet.h>
#include <array>
#include <atomic>
#include <cerrno>
#include <map>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <new>
#include <poll.h>
#include <string_view>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>
#include <utility>

#include <fmt/format.h>

#include <fathom/core/error.hpp>

#include "core/text.hpp"

namespace fathom {

namespace {

constexpr std::size_t kReadBytes = std::size_t{16} << 10U;  // of a connection in one read
constexpr int kTickMs = 1000;                               // between checks of timeouts
constexpr std::chrono::seconds kPause{1};                   // of accepting, after the system ran out of resources

class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  [[nodiscard]] int number() const { return number_; }

 private:
  int number_;
};

/// An address of a socket, large enough for any.
struct Address {
  union {
    sockaddr any;
    sockaddr_in v4;
    sockaddr_in6 v6;
  };
  socklen_t size = sizeof(sockaddr_in6);

  Address() : v6() {}
};

Address address_of(const std::string& text, std::uint16_t port) {
  Address address;
  if (::inet_pton(AF_INET6, text.c_str(), &address.v6.sin6_addr) == 1) {
    address.v6.sin6_family = AF_INET6;
    address.v6.sin6_port = htons(port);
    return address;
  }
  address.v4 = {};
  if (::inet_pton(AF_INET, text.c_str(), &address.v4.sin_addr) != 1) {
    throw InputError(fmt::format("listen: '{}' is not a number address, such as 127.0.0.1", one_line(text)));
  }
  address.v4.sin_family = AF_INET;
  address.v4.sin_port = htons(port);
  address.size = sizeof(sockaddr_in);
  return address;
}

/// A listening socket; its number is -1 if it cannot listen.
Descriptor listening(const Address& address) {
  Descriptor listener(::socket(address.any.sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  const int yes = 1;
  const bool listens = ::setsockopt(listener.number(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes)) == 0 &&
                       ::bind(listener.number(), &address.any, address.size) == 0 &&
                       ::listen(listener.number(), SOMAXCONN) == 0;
  return listens ? std::move(listener) : Descriptor(-1);
}

std::uint16_t port_of(const Descriptor& socket) {
  Address address;
  ::getsockname(socket.number(), &address.any, &address.size);
  return ntohs(address.any.sa_family == AF_INET6 ? address.v6.sin6_port : address.v4.sin_port);
}

/// Whether a failed call may succeed later.
bool may_succeed_later() { return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR; }

struct Peer {
  Peer(Descriptor its_socket, LiveSite& site, Connection::TimePoint now)
      : socket(std::move(its_socket)), connection(site, now) {}

  Descriptor socket;
  Connection connection;
};

void read_some(Peer& peer, Connection::TimePoint now) {
  std::array<char, kReadBytes> bytes;
  const ssize_t count = ::recv(peer.socket.number(), bytes.data(), bytes.size(), 0);
  if (count > 0) return peer.connection.receive({bytes.data(), static_cast<std::size_t>(count)}, now);
  if (count == 0 || !may_succeed_later()) peer.connection.drop();
}

void send_some(Peer& peer, Connection::TimePoint now) {
  const std::string_view bytes = peer.connection.to_send();
  if (bytes.empty()) return;
  const ssize_t count = ::send(peer.socket.number(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
  if (count < 0 && !may_succeed_later()) return peer.connection.drop();
  if (count > 0) peer.connection.sent(static_cast<std::size_t>(count), now);
  if (peer.connection.is_sent()) ::shutdown(peer.socket.number(), SHUT_WR);
}

void serve(Peer& peer, unsigned events, Connection::TimePoint now) {
  try {
    if ((events & static_cast<unsigned>(POLLIN | POLLHUP | POLLERR)) != 0) read_some(peer, now);
    if ((events & static_cast<unsigned>(POLLOUT)) != 0) send_some(peer, now);
    peer.connection.tick(now);
  } catch (const std::exception&) {  // no memory: this connection ends, the others continue
    peer.connection.drop();
  }
}

}  // namespace

class LiveServer::Impl {
 public:
  explicit Impl(LiveServerOptions options)
      : site_{WebAccess(std::move(options.origins)), std::move(options.layout)},
        listener_(listening(address_of(options.address, options.port))),
        news_(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)) {
    if (listener_.number() < 0 || news_.number() < 0) {
      throw SystemError(
          fmt::format("cannot listen on {}:{}: it is in use, or not of this computer", options.address, options.port));
    }
  }
  ~Impl() { stop(); }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  [[nodiscard]] std::uint16_t port() const { return port_of(listener_); }

  void start(TopicHub& hub) {
    site_.hub = &hub;
    thread_ = std::thread([this] {
      while (!stopping_) serve_or_make_room();
    });
  }

  void wake() const { static_cast<void>(::eventfd_write(news_.number(), 1)); }

  void stop() {
    stopping_ = true;
    wake();
    if (thread_.joinable()) thread_.join();
    for (auto& [number, peer] : peers_) {
      peer.connection.go_away(LiveClock::now());
      send_some(peer, LiveClock::now());
    }
    peers_.clear();
  }

 private:
  void serve_or_make_room() {
    try {
      serve_once();
    } catch (const std::bad_alloc&) {
      drop_idlest();
    }
  }

  /// Waits for events and handles them. No step waits for a client.
  void serve_once() {
    const bool accepts = LiveClock::now() >= accepts_from_;
    std::vector<pollfd> polled = {{news_.number(), POLLIN, 0},
                                  {listener_.number(), static_cast<short>(accepts ? POLLIN : 0), 0}};
    for (const auto& [number, peer] : peers_) {
      polled.push_back({number, static_cast<short>(peer.connection.wants_to_send() ? POLLIN | POLLOUT : POLLIN), 0});
    }
    if (::poll(polled.data(), polled.size(), peers_.empty() && accepts ? -1 : kTickMs) < 0) return;
    const LiveClock::time_point now = LiveClock::now();
    eventfd_t news = 0;
    if (polled[0].revents != 0) static_cast<void>(::eventfd_read(news_.number(), &news));
    for (std::size_t i = 2; i < polled.size(); ++i) {
      const auto found = peers_.find(polled[i].fd);
      serve(found->second, static_cast<unsigned>(polled[i].revents), now);
      if (found->second.connection.is_over()) peers_.erase(found);
    }
    if (polled[1].revents != 0) accept(now);
  }

  void accept(LiveClock::time_point now) {
    Descriptor socket(::accept4(listener_.number(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
    if (socket.number() < 0) {
      if (errno != EMFILE && errno != ENFILE && errno != ENOBUFS && errno != ENOMEM) return;
      accepts_from_ = now + kPause;
      return drop_idlest();
    }
    if (peers_.size() >= kMostConnections) drop_idlest();
    const int yes = 1;
    ::setsockopt(socket.number(), IPPROTO_TCP, TCP_NODELAY, &yes, sizeof(yes));
    peers_.try_emplace(socket.number(), std::move(socket), site_, now);
  }

  /// Drops the connection that is idle longest, except clients. A full table has others, as there are fewer clients
  /// than connections.
  void drop_idlest() {
    auto idlest = peers_.end();
    for (auto peer = peers_.begin(); peer != peers_.end(); ++peer) {
      if (peer->second.connection.is_client()) continue;
      const bool is_first = idlest == peers_.end();
      if (is_first || peer->second.connection.idle_since() < idlest->second.connection.idle_since()) idlest = peer;
    }
    if (idlest != peers_.end()) peers_.erase(idlest);
  }

  LiveSite site_;
  Descriptor listener_;
  Descriptor news_;
  std::atomic<bool> stopping_ = false;
  LiveClock::time_point accepts_from_ = {};
  std::map<int, Peer> peers_;  ///< by the numbers of their sockets
  std::thread thread_;
};

LiveServer::LiveServer(LiveServerOptions options) : impl_(std::make_unique<Impl>(std::move(options))) {}
LiveServer::~LiveServer() = default;
std::uint16_t LiveServer::port() const { return impl_->port(); }
void LiveServer::start(TopicHub& hub) { impl_->start(hub); }
void LiveServer::wake() { impl_->wake(); }
void LiveServer::stop() { impl_->stop(); }

}  // namespace fathom
