// SPDX-License-Identifier: MIT
#pragma once
// The commands. Each declares its options, checks and runs them in one file.

#include <filesystem>
#include <memory>

namespace CLI {
class App;
}

namespace fathom_cli {

/// The whole command line: every command with its options and help. Parsing runs the command that was named.
std::unique_ptr<CLI::App> make_commands();

void add_simulate(CLI::App& app);
void add_apply(CLI::App& app);
void add_serve(CLI::App& app);
void add_view(CLI::App& app);
void add_check(CLI::App& app);
void add_sensors(CLI::App& app);
void add_noise(CLI::App& app);
void add_outputs(CLI::App& app);
void add_channels(CLI::App& app);
void add_publish(CLI::App& app);

// Below groups of commands.
void add_dataset_info(CLI::App& dataset);
void add_dataset_verify(CLI::App& dataset);
void add_bag_info(CLI::App& bag);
void add_measure_depth(CLI::App& measure);
void add_fit_beam(CLI::App& fit);
void add_fit_field(CLI::App& fit);
void add_fit_chain(CLI::App& fit);
void add_fit_wall(CLI::App& fit);
void add_fit_pairs(CLI::App& fit);
void add_score_beam(CLI::App& score);
void add_score_field(CLI::App& score);
void add_score_chain(CLI::App& score);
void add_compare_beam(CLI::App& compare);
void add_compare_field(CLI::App& compare);
void add_compare_chain(CLI::App& compare);
void add_beam_sample(CLI::App& beam);
void add_beam_heatmap(CLI::App& beam);

/// Writes manual pages of all commands, and completion for bash and zsh, for the build.
void generate_share(const CLI::App& root, const std::filesystem::path& folder);

}  // namespace fathom_cli
