// SPDX-License-Identifier: MIT
#pragma once

#include <string>

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

/// Runs until it is done or a signal asks it to stop, which is no error, and says what it did. Throws fathom::Error.
void publish(const PublishArguments& arguments);

}  // namespace fathom_cli
