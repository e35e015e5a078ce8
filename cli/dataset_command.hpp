// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "simulate.hpp"

namespace fathom_cli {

/// Whether the options ask for a dataset of units.
bool makes_dataset(const SimulateOptions& options);

/// A word as a shell reads it.
std::string quoted(const std::string& word);

/// The command that makes the whole dataset: without what says which part of it, and how fast.
std::string dataset_command(const SimulateOptions& options);

}  // namespace fathom_cli
