// SPDX-License-Identifier: MIT
#pragma once
// `fathom apply` for bags and topics of ROS 2.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include <fathom/ros/publish.hpp>
#include <fathom/sensor/kinds.hpp>
#include <fathom/simulate/apply.hpp>

namespace CLI {
class App;
}

namespace fathom_cli {

struct MessageArguments {
  std::filesystem::path bag;
  std::string topic, camera_info, publish;
  std::optional<std::uint32_t> messages;
  fathom::TopicDomain domain;

  [[nodiscard]] bool are_given() const { return !bag.empty() || !topic.empty(); }
};

/// The options; `c` has the option --out already.
void add_message_options(CLI::App& c, MessageArguments& o);

/// The rest of the command line.
struct MessageCommand {
  fathom::MessageNoiseOptions noise = {};  ///< without topics
  std::filesystem::path out = {};
  bool force = false, quiet = false;
};

/// Writes a bag, or publishes until Ctrl-C, and prints a summary.
void apply_to_messages(const MessageArguments& arguments, const fathom::Sensor& sensor, MessageCommand command);

}  // namespace fathom_cli
