// SPDX-License-Identifier: MIT
#include "io/bag/mcap_writer.hpp"

#include <algorithm>
#include <system_error>

#include <fmt/format.h>
#include <zlib.h>
#include <zstd.h>

#include <fathom/core/error.hpp>

namespace fathom {

namespace {

using mcap::Op;
using mcap::Record;

/// Bytes of records in a chunk, before compression; a larger message has a separate chunk.
constexpr std::size_t kChunkBytes = std::size_t{1} << 20U;
/// Noisy floats gain little from more: clouds shrink by 11 %, and by 19 % at level 1, which takes three times as long.
constexpr int kZstdLevel = -7;

std::uint32_t crc_of(std::uint32_t crc, std::string_view bytes) {
  return static_cast<std::uint32_t>(crc32_z(crc, reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size()));
}

template <class T>
void append_number(std::string& out, T value) {
  out.append(reinterpret_cast<const char*>(&value), sizeof(T));
}

}  // namespace

void check_bag_file(const std::filesystem::path& file, const std::vector<std::filesystem::path>& inputs, bool force) {
  std::error_code error;
  // The folder of "new/../file" may not exist before the run makes it.
  const std::filesystem::path place = std::filesystem::weakly_canonical(std::filesystem::absolute(file, error), error);
  if (error || !std::filesystem::exists(place, error)) return;
  for (const std::filesystem::path& input : inputs) {
    if (!std::filesystem::equivalent(place, input, error)) continue;
    throw InputError(fmt::format("{}: is read, and the bag would replace it", file.string()));
  }
  if (!std::filesystem::is_regular_file(place, error))
    throw InputError(fmt::format("{}: is no file that a bag could replace", file.string()));
  if (!force) {
    throw InputError(file.string(), ": exists already; force", Hint{"force", "", true}, " replaces it");
  }
}

McapWriter::McapWriter(const std::filesystem::path& file)
    : file_(file), compressor_(ZSTD_createCCtx(), &ZSTD_freeCCtx) {
  if (!compressor_) throw SystemError("zstd: there is not enough memory");
  std::string head(mcap::kMagic);
  Record().text("ros2").text("fathom").append_to(head, Op::kHeader);
  put(head);
}

std::uint16_t McapWriter::add_schema(std::string_view type, const BagSchema& schema) {
  const auto next = static_cast<std::uint16_t>(schema_ids_.size() + 1);  // 0 means that there is no schema
  Record content;
  content.text(type).text(schema.encoding).text(schema.definition);
  const auto [known, is_new] = schema_ids_.try_emplace(content.bytes(), next);
  if (is_new) {
    std::string added;
    Record().number(known->second).raw(known->first).append_to(added, Op::kSchema);
    schemas_ += added, open_.bytes += added;
  }
  return known->second;
}

std::uint16_t McapWriter::add_channel(std::string_view topic, std::uint16_t schema, std::string_view encoding,
                                      std::string_view metadata) {
  if (counts_.size() >= 0xffff) throw InputError("a bag has at most 65535 topics");
  const auto id = static_cast<std::uint16_t>(counts_.size());
  std::string channel;
  Record().number(id).number(schema).text(topic).text(encoding).text(metadata).append_to(channel, Op::kChannel);
  channels_ += channel, open_.bytes += channel;  // in the chunk of its first message, for torn files
  counts_.push_back(0);
  return id;
}

std::uint16_t McapWriter::add_topic(std::string_view topic, const MessageType& type) {
  std::string metadata;
  mcap::append_pair(metadata, "topic_type_hash", type.hash);
  return add_channel(topic, add_schema(type.name, {"ros2msg", schema_text(type)}), "cdr", metadata);
}

std::uint16_t McapWriter::add_topic(const BagTopic& topic) {
  BagSchema schema;
  if (topic.schema != nullptr) schema = *topic.schema;
  for (const MessageType* type : message_types()) {  // rosbag2 keeps no definitions in its older .db3 files
    if (topic.schema == nullptr && type->name == topic.type) schema = {"ros2msg", schema_text(*type)};
  }
  const std::uint16_t id = topic.type.empty() && topic.schema == nullptr ? 0 : add_schema(topic.type, schema);
  return add_channel(topic.name, id, topic.encoding, topic.metadata);
}

void McapWriter::write(std::uint16_t topic, std::uint64_t time_ns, std::string_view bytes) {
  write(topic, {time_ns, time_ns, static_cast<std::uint32_t>(counts_.at(topic))}, bytes);
}

void McapWriter::write(std::uint16_t topic, const Stamp& stamp, std::string_view bytes) {
  const auto& [time_ns, published_ns, sequence] = stamp;
  const bool first_in_chunk = open_.index.empty();
  open_.start_ns = first_in_chunk ? time_ns : std::min(open_.start_ns, time_ns);
  open_.end_ns = first_in_chunk ? time_ns : std::max(open_.end_ns, time_ns);
  start_ns_ = messages_ == 0 ? time_ns : std::min(start_ns_, time_ns);
  end_ns_ = messages_ == 0 ? time_ns : std::max(end_ns_, time_ns);
  ++messages_, ++counts_.at(topic);
  std::string& chunk = open_.bytes;
  open_.index[topic].emplace_back(time_ns, chunk.size());
  // As Record does, but copies the bytes only once.
  chunk.push_back(static_cast<char>(Op::kMessage));
  append_number(chunk, std::uint64_t{sizeof(topic) + sizeof(sequence) + 2 * sizeof(time_ns)} + bytes.size());
  append_number(chunk, topic), append_number(chunk, sequence);
  append_number(chunk, time_ns), append_number(chunk, published_ns);
  chunk += bytes;
  if (chunk.size() >= kChunkBytes) flush_chunk();
}

void McapWriter::put(std::string_view bytes) {
  file_.write(bytes);
  offset_ += bytes.size();
}

std::string_view McapWriter::compress(std::string_view bytes) {
  if (packed_.size() < ZSTD_compressBound(bytes.size())) packed_.resize(ZSTD_compressBound(bytes.size()));
  const std::size_t size =
      ZSTD_compressCCtx(compressor_.get(), packed_.data(), packed_.size(), bytes.data(), bytes.size(), kZstdLevel);
  if (ZSTD_isError(size) != 0) throw SystemError(fmt::format("zstd: {}", ZSTD_getErrorName(size)));
  return std::string_view(packed_).substr(0, size);
}

void McapWriter::flush_chunk() {
  finish_chunk();
  if (open_.bytes.empty()) return;
  std::swap(open_, packing_);  // reuses memory
  open_.bytes.clear(), open_.index.clear();
  open_.start_ns = open_.end_ns = 0;
  // In parallel with the simulation, or in finish_chunk() if no thread is available.
  packed_chunk_ = std::async(std::launch::async | std::launch::deferred, [this] { put_chunk(packing_); });
}

void McapWriter::finish_chunk() {
  if (packed_chunk_.valid()) packed_chunk_.get();
}

void McapWriter::put_chunk(const Chunk& chunk) {
  const std::string_view packed = compress(chunk.bytes);
  Record head;
  head.number(chunk.start_ns)
      .number(chunk.end_ns)
      .number(std::uint64_t{chunk.bytes.size()})
      .number(crc_of(0, chunk.bytes))
      .text("zstd")
      .number(std::uint64_t{packed.size()});
  std::string out;
  head.append_to(out, Op::kChunk, packed.size());
  ChunkEntry entry = {chunk.start_ns, chunk.end_ns,       offset_, out.size() + packed.size(),
                      packed.size(),  chunk.bytes.size(), 0,       {}};
  put(out), put(packed);
  out.clear();
  for (const auto& [topic, places] : chunk.index) {
    entry.index_offsets[topic] = offset_ + out.size();
    Record record;
    record.number(topic).number(static_cast<std::uint32_t>(places.size() * 16));
    for (const auto& [time, place] : places) record.number(time).number(place);
    record.append_to(out, Op::kMessageIndex);
  }
  entry.index_size = out.size();
  put(out);
  chunks_.push_back(std::move(entry));
}

std::string McapWriter::statistics() const {
  Record record;
  record.number(messages_)
      .number(static_cast<std::uint16_t>(schema_ids_.size()))
      .number(static_cast<std::uint32_t>(counts_.size()))
      .number(std::uint32_t{0})  // attachments
      .number(std::uint32_t{0})  // metadata
      .number(static_cast<std::uint32_t>(chunks_.size()))
      .number(start_ns_)
      .number(end_ns_)
      .number(static_cast<std::uint32_t>(counts_.size() * 10));
  for (std::size_t i = 0; i < counts_.size(); ++i) record.number(static_cast<std::uint16_t>(i)).number(counts_[i]);
  std::string out;
  record.append_to(out, Op::kStatistics);
  return out;
}

void McapWriter::append_chunk_index(std::string& out, const ChunkEntry& chunk) {
  Record record;
  record.number(chunk.start_ns).number(chunk.end_ns).number(chunk.offset).number(chunk.size);
  record.number(static_cast<std::uint32_t>(chunk.index_offsets.size() * 10));
  for (const auto& [topic, offset] : chunk.index_offsets) record.number(topic).number(offset);
  record.number(chunk.index_size).text("zstd").number(chunk.compressed).number(chunk.uncompressed);
  record.append_to(out, Op::kChunkIndex);
}

void McapWriter::commit() {
  flush_chunk();
  finish_chunk();
  std::string end;
  Record().number(std::uint32_t{0}).append_to(end, Op::kDataEnd);  // no checksum of the whole: every chunk has one
  put(end);
  std::string chunk_indices;
  for (const ChunkEntry& chunk : chunks_) append_chunk_index(chunk_indices, chunk);
  std::string summary, offsets;
  for (const auto& [op, records] :
       {std::pair(Op::kSchema, schemas_), std::pair(Op::kChannel, channels_), std::pair(Op::kStatistics, statistics()),
        std::pair(Op::kChunkIndex, chunk_indices)}) {
    if (records.empty()) continue;
    Record()
        .number(static_cast<std::uint8_t>(op))
        .number(offset_ + summary.size())
        .number(std::uint64_t{records.size()})
        .append_to(offsets, Op::kSummaryOffset);
    summary += records;
  }
  std::string footer;
  Record().number(offset_).number(offset_ + summary.size()).number(std::uint32_t{0}).append_to(footer, Op::kFooter);
  summary += offsets + footer.substr(0, footer.size() - sizeof(std::uint32_t));
  const std::uint32_t crc = crc_of(0, summary);
  summary.append(reinterpret_cast<const char*>(&crc), sizeof(crc)).append(mcap::kMagic);
  file_.write(summary);
  file_.commit();
}

}  // namespace fathom
