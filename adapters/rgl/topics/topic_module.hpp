// SPDX-License-Identifier: MIT
#pragma once
// Topics of ROS 2 through a module beside the library. The library itself needs no DDS.

#include <cstdint>
#include <string>

#include "topics/rgl_topics.h"

namespace rgl {

/// Whether the module exists and can be loaded.
bool has_topic_module();

/// Throws NOT_IMPLEMENTED for `function`, naming the missing file.
void require_topic_module(const char* function);

/// A topic of clouds. Throws ROS2_ERROR with the message of DDS.
class CloudTopic {
 public:
  /// ROS_DOMAIN_ID sets the domain, and FATHOM_RGL_TOPICS_INTERFACE the network (default: only this computer).
  CloudTopic(const std::string& topic, fathom_topic_quality quality);

  void publish(const fathom_topic_cloud& cloud) const;

 private:
  void* writer_ = nullptr;
};

}  // namespace rgl
