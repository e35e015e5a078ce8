// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <string>

#include "bag/bag_message.hpp"

namespace fathom {

/// Calls `on_message` for each message of an MCAP file, in the order of the file. Chunks may be plain, zstd or lz4.
/// Returns where the file is torn, in one line, and empty where it is whole: a recorder that died leaves no footer, and
/// what stands before the tear is read. Throws InputError naming the file for what is no MCAP or is damaged.
std::string read_mcap(const std::filesystem::path& file, const OnBagMessage& on_message);

}  // namespace fathom
