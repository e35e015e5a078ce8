// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <fathom/topic/domain.hpp>

#include "simulate.hpp"

namespace fathom_cli {

/// `fathom publish SCENE ...`
struct PublishArguments {
  SimulateOptions run;  ///< which run; its outputs and its bag are not used
  fathom::TopicDomain domain;
  std::string rate = "1x";  ///< "2x" or "max"
  bool sensor_data = false, wait = false;
};

/// `fathom record TOPIC... --bag FILE`
struct RecordArguments {
  std::vector<std::string> topics;
  std::filesystem::path bag;
  fathom::TopicDomain domain;
  std::optional<double> seconds;
  std::optional<std::uint64_t> messages;
  bool force = false, quiet = false;
};

/// Both run until they are done or a signal asks them to stop, which is no error, and say what they did. Throw
/// fathom::Error.
void publish(const PublishArguments& arguments);
void record(const RecordArguments& arguments);

}  // namespace fathom_cli
