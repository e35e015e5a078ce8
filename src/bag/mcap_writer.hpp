// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bag/mcap_record.hpp"
#include "message/message_type.hpp"
#include "text/whole_file.hpp"

namespace fathom {

/// Writes a bag of ROS 2 messages as MCAP: chunks compressed with zstd, with indices, schemas and statistics. The file
/// appears whole at commit(), or not at all. Throws SystemError when the system refuses.
class McapWriter {
 public:
  explicit McapWriter(const std::filesystem::path& file);

  /// A topic and what its messages are; the number to write them by. Throws InputError for more than 65535.
  std::uint16_t add_topic(std::string_view topic, const MessageType& type);

  /// `bytes` are a message in CDR. Times may go back; readers sort by them.
  void write(std::uint16_t topic, std::uint64_t time_ns, std::string_view bytes);

  void commit();

 private:
  struct ChunkEntry {
    std::uint64_t start_ns, end_ns, offset, size, compressed, uncompressed, index_size;
    std::map<std::uint16_t, std::uint64_t> index_offsets;
  };

  void put(std::string_view bytes);
  void flush_chunk();
  [[nodiscard]] std::string statistics() const;
  static void append_chunk_index(std::string& out, const ChunkEntry& chunk);

  WholeFile file_;
  std::uint64_t offset_ = 0;  ///< bytes written
  std::uint32_t data_crc_ = 0;
  std::string schemas_, channels_;  ///< records, which the summary repeats
  std::vector<const MessageType*> types_;
  std::vector<std::uint64_t> counts_;  ///< [topics], messages
  std::string chunk_;
  std::uint64_t chunk_start_ns_ = 0, chunk_end_ns_ = 0, start_ns_ = 0, end_ns_ = 0;
  std::map<std::uint16_t, std::vector<std::pair<std::uint64_t, std::uint64_t>>>
      index_;  ///< times and offsets in chunk_
  std::vector<ChunkEntry> chunks_;
};

}  // namespace fathom
