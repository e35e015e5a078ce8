// SPDX-License-Identifier: MIT
#pragma once
// The sockets of this process, as the kernel tells of them.

#include <arpa/inet.h>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <netinet/in.h>
#include <set>
#include <sstream>
#include <string>
#include <sys/socket.h>
#include <unistd.h>
#include <vector>

#include <ifaddrs.h>

namespace topic_test {

/// A socket of the Internet with the address that it is bound to: "0100007F" is 127.0.0.1, as /proc/net writes it.
struct BoundSocket {
  std::string protocol, address;
  std::uint16_t port = 0;
  std::uint64_t dropped = 0;  ///< packets that the kernel kept from it
};

inline std::vector<BoundSocket> bound_sockets() {
  std::set<std::string> own;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    std::error_code gone;
    const std::string to = std::filesystem::read_symlink(entry.path(), gone).string();
    if (to.starts_with("socket:[")) own.insert(to.substr(8, to.size() - 9));
  }
  std::vector<BoundSocket> sockets;
  for (const std::string protocol : {"udp", "udp6", "tcp", "tcp6", "raw", "raw6"}) {
    std::ifstream in("/proc/self/net/" + protocol);
    std::string line;
    std::getline(in, line);  // the names of columns
    while (std::getline(in, line)) {
      std::istringstream words(line);
      std::string word, local, inode;
      for (int i = 0; words >> word; ++i) {  // the last one counts drops
        if (i == 1) local = word;
        if (i == 9) inode = word;
      }
      const std::size_t colon = local.find(':');
      if (!own.contains(inode) || colon == std::string::npos) continue;
      const auto port = static_cast<std::uint16_t>(std::stoul(local.substr(colon + 1), nullptr, 16));
      sockets.push_back({protocol, local.substr(0, colon), port, std::stoull(word)});
    }
  }
  return sockets;
}

/// An address of this computer that others can reach; empty: there is none.
inline std::string outer_address() {
  ifaddrs* list = nullptr;
  if (getifaddrs(&list) != 0) return {};
  std::string found;
  for (const ifaddrs* at = list; at != nullptr && found.empty(); at = at->ifa_next) {
    if (at->ifa_addr == nullptr || at->ifa_addr->sa_family != AF_INET) continue;
    char text[INET_ADDRSTRLEN] = {};
    inet_ntop(AF_INET, &reinterpret_cast<const sockaddr_in*>(at->ifa_addr)->sin_addr, text, sizeof text);
    if (!std::string(text).starts_with("127.")) found = text;
  }
  freeifaddrs(list);
  return found;
}

/// Sends a packet from the address to the same address; whether the kernel took it.
inline bool send_packet(const std::string& address, std::uint16_t port) {
  const int socket = ::socket(AF_INET, SOCK_DGRAM, 0);
  sockaddr_in at = {};
  at.sin_family = AF_INET;
  inet_pton(AF_INET, address.c_str(), &at.sin_addr);
  const bool bound = bind(socket, reinterpret_cast<const sockaddr*>(&at), sizeof at) == 0;
  at.sin_port = htons(port);
  const bool sent = bound && sendto(socket, "hello", 5, 0, reinterpret_cast<const sockaddr*>(&at), sizeof at) == 5;
  close(socket);
  return sent;
}

/// The groups of multicast that sockets of this computer have joined, each with its interface.
inline std::multiset<std::string> joined_groups() {
  std::multiset<std::string> groups;
  std::ifstream in("/proc/self/net/igmp");
  std::string interface;
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with('\t'))
      groups.insert(interface + " " + line.substr(0, line.find(' ')));
    else
      interface = line.substr(0, line.find(':'));
  }
  return groups;
}

}  // namespace topic_test
