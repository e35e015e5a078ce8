// SPDX-License-Identifier: MIT
#include "topic/dds/own_sockets.hpp"

#include <array>
#include <cerrno>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <linux/filter.h>
#include <netinet/in.h>
#include <string>
#include <sys/socket.h>

#include <fmt/format.h>

#include <fathom/base/error.hpp>

namespace fathom {

namespace {

int option_of(int socket, int name) {
  int value = -1;
  socklen_t size = sizeof value;
  return getsockopt(socket, SOL_SOCKET, name, &value, &size) == 0 ? value : -1;
}

}  // namespace

std::set<int> udp_sockets() {
  std::set<int> sockets;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    const std::string name = entry.path().filename();
    int number = -1;
    std::from_chars(name.data(), name.data() + name.size(), number);
    if (option_of(number, SO_DOMAIN) == AF_INET && option_of(number, SO_TYPE) == SOCK_DGRAM) sockets.insert(number);
  }
  return sockets;
}

void hear_this_computer_alone(int socket) {
  constexpr std::uint32_t kSource = static_cast<std::uint32_t>(SKF_NET_OFF) + 12;  // of the header of IPv4
  constexpr std::uint32_t kLoopbackNet = 127;
  std::array<sock_filter, 4> code = {{BPF_STMT(BPF_LD | BPF_B | BPF_ABS, kSource),
                                      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, kLoopbackNet, 0, 1),
                                      BPF_STMT(BPF_RET | BPF_K, UINT32_MAX), BPF_STMT(BPF_RET | BPF_K, 0)}};
  const sock_fprog filter = {code.size(), code.data()};
  if (setsockopt(socket, SOL_SOCKET, SO_ATTACH_FILTER, &filter, sizeof filter) == 0) return;
  throw SystemError(fmt::format("DDS: a socket cannot be kept to this computer: {}", std::strerror(errno)));
}

}  // namespace fathom
