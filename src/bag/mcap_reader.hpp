// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>

#include "bag/bag_message.hpp"

namespace fathom {

/// Calls `on_message` for each message of an MCAP file, in the order of the file. Chunks may be plain, zstd or lz4. A
/// recorder that died leaves no footer: what stands before the tear is read. Damaged chunks and records are passed
/// over. Throws InputError naming the file for what is no MCAP, is too large, or is damaged everywhere.
BagReading read_mcap(const std::filesystem::path& file, const OnBagMessage& on_message);

}  // namespace fathom
