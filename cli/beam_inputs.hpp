// SPDX-License-Identifier: MIT
#pragma once
// Options that name a world and a log, of all commands that compare readings with what is expected.

#include <cstddef>
#include <string>

#include <CLI/CLI.hpp>

#include "beam_world.hpp"

namespace fathom_cli {

/// --height, of the sensor in a scene.
void add_height(CLI::App& c, double& height_m);

/// Throws fathom::InputError where --height would be passed over.
void refuse_height_without_scene(const CLI::App& c);

/// --map or --scene: one of them must be there, unless `optional`.
void add_world(CLI::App& c, BeamWorldOptions& o, bool optional = false);

/// What logs in text do not say, but for --ray-time. `log`: the option that they need; null: none.
void add_log_text(CLI::App& c, CLI::Option* log, fathom::ScanLogOptions& o);

/// How add_log() takes scans.
struct LogChoices {
  std::string topic = "--scan";  ///< how the topic is typed
  bool optional = false;         ///< there may be no log
};

/// --clusters: so many stretches of the way, or 0: each scan.
void add_clusters(CLI::App& c, std::size_t& stretches);

/// --log or --bag: one of them must be there, unless optional.
void add_log(CLI::App& c, BeamLogOptions& o, const LogChoices& choices = {});

}  // namespace fathom_cli
