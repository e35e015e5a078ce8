// SPDX-License-Identifier: MIT
#pragma once
// The library binds its sockets to every address of a computer, and has no setting for another. So they are found, and
// given a filter.

#include <set>

namespace fathom {

/// The numbers of this process's sockets of UDP over IPv4.
std::set<int> udp_sockets();

/// From now on the kernel drops what comes to the socket from any address outside 127.0.0.0/8, before anybody reads
/// it. Throws SystemError.
void hear_this_computer_alone(int socket);

}  // namespace fathom
