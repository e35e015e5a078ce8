// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "bag/bag_message.hpp"

namespace fathom {

/// Calls `on_message` for each message of an MCAP file, in the order of the file. Chunks may be plain, zstd or lz4. A
/// recorder that died leaves no footer: what stands before the tear is read. Damaged chunks and records are passed
/// over. Throws InputError naming the file for what is no MCAP, is too large, or is damaged everywhere.
BagReading read_mcap(const std::filesystem::path& file, const OnBagMessage& on_message);

/// Reads single messages of an MCAP file again. The chunk that was unpacked last is kept, so that messages that lie
/// side by side cost little.
class McapMessages {
 public:
  explicit McapMessages(std::filesystem::path file);
  /// The message at a place that read_mcap() gave; valid until the next call. Throws InputError naming the file where
  /// it is there no more.
  std::span<const std::byte> at(const BagPlace& place);

 private:
  std::string_view chunk_at(std::uint64_t record);

  std::filesystem::path file_;
  std::ifstream in_;
  std::string content_, room_;
  std::optional<std::uint64_t> chunk_;  ///< of which `records_` are
  std::string_view records_;
};

}  // namespace fathom
