// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <future>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/text/files.hpp"
#include "io/bag/mcap_format.hpp"
#include "io/bag/read_bag.hpp"
#include "io/message/message_type.hpp"

struct ZSTD_CCtx_s;  // of zstd.h

namespace fathom {

/// Throws InputError if a bag of this name would replace one of the inputs or, unless `force`, any file.
void check_bag_file(const std::filesystem::path& file, const std::vector<std::filesystem::path>& inputs, bool force);

/// Writes a bag of ROS 2 messages as MCAP: chunks compressed with zstd, with indices, schemas and statistics. A thread
/// compresses and writes a chunk while the next one is filled. The file appears whole at commit(), or not at all.
/// Throws SystemError if the system refuses, in that call or the next.
class McapWriter {
 public:
  explicit McapWriter(const std::filesystem::path& file);

  /// Adds a topic of this type; returns its number for write(). Throws InputError for more than 65535 topics.
  std::uint16_t add_topic(std::string_view topic, const MessageType& type);

  /// Adds a topic of a bag with its definition and metadata.
  std::uint16_t add_topic(const BagTopic& topic);

  /// When a message was recorded and published, and its number.
  struct Stamp {
    std::uint64_t time_ns, published_ns;
    std::uint32_t sequence;
  };
  /// `bytes` are a message in CDR. Times may decrease: readers sort by them.
  void write(std::uint16_t topic, const Stamp& stamp, std::string_view bytes);
  /// The same, published when it was recorded; the numbers of a topic count from 0.
  void write(std::uint16_t topic, std::uint64_t time_ns, std::string_view bytes);

  void commit();

 private:
  /// Records of messages, and times and offsets for their index.
  struct Chunk {
    std::string bytes;
    std::uint64_t start_ns = 0, end_ns = 0;
    std::map<std::uint16_t, std::vector<std::pair<std::uint64_t, std::uint64_t>>> index;
  };
  struct ChunkEntry {
    std::uint64_t start_ns, end_ns, offset, size, compressed, uncompressed, index_size;
    std::map<std::uint16_t, std::uint64_t> index_offsets;
  };

  /// The number of a definition; adds it if it is new.
  std::uint16_t add_schema(std::string_view type, const BagSchema& schema);
  std::uint16_t add_channel(std::string_view topic, std::uint16_t schema, std::string_view encoding,
                            std::string_view metadata);
  void put(std::string_view bytes);
  /// Valid until the next call.
  std::string_view compress(std::string_view bytes);
  /// Begins a chunk; a thread compresses and writes the one before.
  void flush_chunk();
  /// Waits for that thread and rethrows its exception.
  void finish_chunk();
  void put_chunk(const Chunk& chunk);
  [[nodiscard]] std::string statistics() const;
  static void append_chunk_index(std::string& out, const ChunkEntry& chunk);

  WholeFile file_;
  std::unique_ptr<ZSTD_CCtx_s, std::size_t (*)(ZSTD_CCtx_s*)> compressor_;
  std::string packed_;              ///< room for a compressed chunk
  std::uint64_t offset_ = 0;        ///< bytes written
  std::string schemas_, channels_;  ///< records for the summary
  std::map<std::string, std::uint16_t> schema_ids_;
  std::vector<std::uint64_t> counts_;  ///< [topics], messages
  std::uint64_t messages_ = 0, start_ns_ = 0, end_ns_ = 0;
  Chunk open_;     ///< the chunk that gets messages
  Chunk packing_;  ///< used by the thread, like file_, offset_ and chunks_
  std::vector<ChunkEntry> chunks_;
  std::future<void> packed_chunk_;  // last: its destructor waits for the thread
};

}  // namespace fathom
