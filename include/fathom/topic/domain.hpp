// SPDX-License-Identifier: MIT
#pragma once
// Where topics of ROS 2 are: DDS, without ROS itself. docs/topics.md says what is spoken.

#include <cstdint>
#include <string>

#include <fathom/base/export.hpp>

namespace fathom {

/// ROS_DOMAIN_ID: each domain has ports of its own, and these are the last that fit below 65536.
inline constexpr std::uint32_t kMaxDomain = 231;

/// Which participants meet.
struct TopicDomain {
  std::uint32_t domain = 0;    ///< as ROS_DOMAIN_ID; 0 to kMaxDomain
  std::string interface = {};  ///< "eth0" or an address; empty: this computer alone (127.0.0.1)
};

/// Whether this build of fathom speaks DDS. Without, all that publishes or records throws InputError.
FATHOM_API bool has_topics();

}  // namespace fathom
