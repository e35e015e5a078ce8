// SPDX-License-Identifier: MIT
#pragma once
// One port for the page's files and for WebSockets: the sockets of its connections.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "live/exchange.hpp"

namespace fathom {

struct LiveServerOptions {
  std::string address = "127.0.0.1";    ///< to listen on, a number address
  std::uint16_t port = 8765;            ///< 0: any that is free
  std::vector<std::string> origins;     ///< of pages that may connect besides its own
  std::function<std::string()> layout;  ///< makes the content of /layout.json; called from the server's thread
};

/// Most connections at once. Another one takes the place of the one that is idle for the longest time, clients
/// excepted.
inline constexpr std::size_t kMostConnections = 64;

/// Listens from its constructor on, and serves an Exchange from a thread of its own until it is destroyed.
class LiveServer {
 public:
  /// Throws InputError for a wrong option, SystemError when the port cannot be had.
  explicit LiveServer(LiveServerOptions options);
  ~LiveServer();
  LiveServer(const LiveServer&) = delete;
  LiveServer& operator=(const LiveServer&) = delete;

  [[nodiscard]] std::uint16_t port() const;
  /// `exchange` outlives this.
  void start(Exchange& exchange);
  /// From any thread: a client has something to be sent.
  void wake();
  /// Serves nobody any more.
  void stop();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace fathom
