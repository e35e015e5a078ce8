// SPDX-License-Identifier: MIT
#include "bag/mcap_writer.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <zlib.h>
#include <zstd.h>

#include <fathom/base/error.hpp>

namespace fathom {

namespace {

using mcap::Op;
using mcap::Record;

constexpr std::size_t kChunkBytes = std::size_t{1}
                                    << 20;  // of records, before compression; a larger message has its own
constexpr int kZstdLevel = 1;               // noisy floats gain little from more

std::uint32_t crc_of(std::uint32_t crc, std::string_view bytes) {
  return static_cast<std::uint32_t>(crc32_z(crc, reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size()));
}

std::string compress(std::string_view bytes) {
  std::string out(ZSTD_compressBound(bytes.size()), '\0');
  const std::size_t size = ZSTD_compress(out.data(), out.size(), bytes.data(), bytes.size(), kZstdLevel);
  if (ZSTD_isError(size) != 0) throw SystemError(fmt::format("zstd: {}", ZSTD_getErrorName(size)));
  out.resize(size);
  return out;
}

}  // namespace

McapWriter::McapWriter(const std::filesystem::path& file) : file_(file) {
  std::string head(mcap::kMagic);
  Record().text("ros2").text("fathom").append_to(head, Op::kHeader);
  put(head);
}

std::uint16_t McapWriter::add_topic(std::string_view topic, const MessageType& type) {
  if (counts_.size() >= 0xffff) throw InputError("a bag has at most 65535 topics");
  const auto known = std::find(types_.begin(), types_.end(), &type);
  const auto schema = static_cast<std::uint16_t>(known - types_.begin() + 1);  // 0 would mean: none
  std::string added;
  if (known == types_.end()) {
    Record().number(schema).text(type.name).text("ros2msg").text(schema_text(type)).append_to(added, Op::kSchema);
    types_.push_back(&type);
    schemas_ += added;
  }
  const auto id = static_cast<std::uint16_t>(counts_.size());
  std::string channel;
  Record metadata;
  std::string pairs;
  const auto append = [&pairs](std::string_view text) {
    const auto size = static_cast<std::uint32_t>(text.size());
    pairs.append(reinterpret_cast<const char*>(&size), sizeof(size)).append(text);
  };
  append("topic_type_hash"), append(type.hash);
  metadata.number(id).number(schema).text(topic).text("cdr").text(pairs).append_to(channel, Op::kChannel);
  channels_ += channel;
  chunk_ += added + channel;  // in the chunk of its first message, so that a torn file still has it
  counts_.push_back(0);
  return id;
}

void McapWriter::write(std::uint16_t topic, std::uint64_t time_ns, std::string_view bytes) {
  const bool first_in_chunk = index_.empty(), first = first_in_chunk && chunks_.empty();
  chunk_start_ns_ = first_in_chunk ? time_ns : std::min(chunk_start_ns_, time_ns);
  chunk_end_ns_ = first_in_chunk ? time_ns : std::max(chunk_end_ns_, time_ns);
  start_ns_ = first ? time_ns : std::min(start_ns_, time_ns);
  end_ns_ = first ? time_ns : std::max(end_ns_, time_ns);
  index_[topic].emplace_back(time_ns, chunk_.size());
  const auto sequence = static_cast<std::uint32_t>(counts_.at(topic)++);
  Record().number(topic).number(sequence).number(time_ns).number(time_ns).raw(bytes).append_to(chunk_, Op::kMessage);
  if (chunk_.size() >= kChunkBytes) flush_chunk();
}

void McapWriter::put(std::string_view bytes) {
  file_.write(bytes);
  data_crc_ = crc_of(data_crc_, bytes);
  offset_ += bytes.size();
}

void McapWriter::flush_chunk() {
  if (chunk_.empty()) return;
  const std::string packed = compress(chunk_);
  std::string out;
  Record()
      .number(chunk_start_ns_)
      .number(chunk_end_ns_)
      .number(std::uint64_t{chunk_.size()})
      .number(crc_of(0, chunk_))
      .text("zstd")
      .number(std::uint64_t{packed.size()})
      .raw(packed)
      .append_to(out, Op::kChunk);
  ChunkEntry entry = {chunk_start_ns_, chunk_end_ns_, offset_, out.size(), packed.size(), chunk_.size(), 0, {}};
  for (const auto& [topic, places] : index_) {
    entry.index_offsets[topic] = offset_ + out.size();
    Record record;
    record.number(topic).number(static_cast<std::uint32_t>(places.size() * 16));
    for (const auto& [time, place] : places) record.number(time).number(place);
    record.append_to(out, Op::kMessageIndex);
  }
  entry.index_size = out.size() - entry.size;
  put(out);
  chunks_.push_back(std::move(entry));
  chunk_.clear();
  index_.clear();
  chunk_start_ns_ = chunk_end_ns_ = 0;
}

std::string McapWriter::statistics() const {
  std::uint64_t messages = 0;
  for (const std::uint64_t count : counts_) messages += count;
  Record record;
  record.number(messages)
      .number(static_cast<std::uint16_t>(types_.size()))
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
  std::string end;
  Record().number(data_crc_).append_to(end, Op::kDataEnd);
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
