// SPDX-License-Identifier: MIT
#pragma once
// The place of ROS 2 topics in DDS, without ROS itself: docs/topics.md.

#include <cstdint>
#include <string>

#include <fathom/core/export.hpp>

namespace fathom {

/// The largest ROS_DOMAIN_ID: the ports of higher domains would exceed 65535.
inline constexpr std::uint32_t kMaxDomain = 231;

/// The participants that see each other.
struct TopicDomain {
  std::uint32_t domain = 0;    ///< as ROS_DOMAIN_ID; 0 to kMaxDomain
  std::string interface = {};  ///< "eth0" or an address; empty: only this computer (127.0.0.1)
};

/// Whether this build of fathom has DDS. Without it, publishing throws InputError.
FATHOM_API bool has_topics();

}  // namespace fathom
