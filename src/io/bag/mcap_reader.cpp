// SPDX-License-Identifier: MIT
#include <algorithm>
#include <fstream>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <zlib.h>

#include <fathom/core/error.hpp>

#include "core/errors.hpp"
#include "core/text/files.hpp"
#include "io/bag/mcap_format.hpp"
#include "io/bag/read_bag.hpp"

namespace fathom {

namespace {

using mcap::Op;

constexpr std::uint64_t kAnyBagBytes = std::uint64_t{1} << 30, kMostBagTimes = 200;
constexpr std::size_t kZeros = 64;  // a chunk that ends in these zeros is incomplete

struct ChunkRecords {
  std::string_view bytes;
  bool is_cut = false;  ///< truncated, as the file is
};

/// The records of a chunk, inflated into `room` if they are compressed. `is_cut`: `content` is truncated.
ChunkRecords chunk_records(std::string_view content, bool is_cut, std::string& room) {
  ByteCursor cursor(content);
  static_cast<void>(cursor.raw(16));  // times of the first and the last message
  auto size = cursor.number<std::uint64_t>();
  const auto crc = cursor.number<std::uint32_t>();
  const std::string_view compression = cursor.text();
  const auto packed_size = cursor.number<std::uint64_t>();
  // Recorders may write the size at the end of a chunk.
  if (is_cut) size = std::min(size, most_chunk_bytes(cursor.rest().size()));
  check_chunk(compression, is_cut ? cursor.rest().size() : packed_size, size);
  if (is_cut) return {decompress_begin(compression, cursor.rest(), size, room), true};
  const std::string_view packed = cursor.raw(packed_size);
  try {
    const std::string_view all = decompress(compression, packed, size, room);
    if (crc != 0 && crc != crc32_z(0, reinterpret_cast<const unsigned char*>(all.data()), all.size())) {
      throw InputError("a chunk is damaged: its checksum is another");
    }
    return {all};
  } catch (const InputError&) {
    if (!packed.ends_with(std::string(kZeros, '\0'))) throw;
    return {decompress_begin(compression, packed, size, room), true};
  }
}

/// Interprets the records of a file one after the other. Skips and counts damaged ones.
class McapRecords {
 public:
  McapRecords(const std::filesystem::path& file, std::uint64_t most_bytes, const OnBagMessage& on_message,
              BagReading& reading)
      : file_(file), most_bytes_(most_bytes), on_message_(on_message), reading_(reading) {}

  /// A record that begins at byte `at` of the file. `is_cut`: the file ends within it.
  void take_at(std::uint64_t at, Op op, std::string_view content, bool is_cut = false) {
    record_ = at;
    if (op == Op::kChunk) {
      take_chunk(content, is_cut);
    } else if (!is_cut) {
      take(op, content);
    }
  }
  void add_damage(std::uint64_t at, std::string_view what) {
    reading_.add_damage(fmt::format("record at byte {}: {}", at, what));
  }
  [[nodiscard]] std::uint64_t messages() const { return messages_; }

 private:
  /// Whether read() found no damage.
  template <class Read>
  bool is_sound(Read read) {
    try {
      read();
      return true;
    } catch (const InputError& error) {
      add_damage(record_, error.what());
      return false;
    }
  }

  void take(Op op, std::string_view content) {
    if (op == Op::kSchema) take_schema(content);
    if (op == Op::kChannel) take_channel(content);
    if (op == Op::kMessage) take_message(content);
  }

  struct Type {
    std::string name;
    std::shared_ptr<const BagSchema> schema;
  };

  /// Counts memory that a bag may claim again and again.
  void count_schema(std::uint64_t bytes) {
    schema_bytes_ += bytes;
    if (schema_bytes_ <= kMostSchemaBytes) return;
    throw InputError(fmt::format("the definitions of its topics have more than {} bytes", kMostSchemaBytes));
  }

  void take_schema(std::string_view content) {
    BagSchema schema;
    std::uint16_t id = 0;
    const bool sound = is_sound([&] {
      ByteCursor cursor(content);
      id = cursor.number<std::uint16_t>();
      types_[id].name = std::string(cursor.text().substr(0, kMostTopicText + 1));
      schema.encoding = cursor.text(), schema.definition = cursor.text();
    });
    if (!sound) return;
    std::shared_ptr<const BagSchema>& known = types_[id].schema;
    if (known != nullptr && *known == schema) return;  // each chunk repeats it
    count_schema(schema.encoding.size() + schema.definition.size());
    known = std::make_shared<const BagSchema>(std::move(schema));
  }
  void take_channel(std::string_view content) {
    std::uint16_t id = 0;
    BagTopic topic;
    const bool sound = is_sound([&] {
      ByteCursor cursor(content);
      id = cursor.number<std::uint16_t>();
      const auto type = types_.find(cursor.number<std::uint16_t>());
      topic.name = cursor.text(), topic.encoding = cursor.text();
      if (type != types_.end()) topic.type = type->second.name, topic.schema = type->second.schema;
      check_topic(topic);
      topic.metadata = cursor.text();
    });
    if (!sound) return;
    if (topics_[id].metadata != topic.metadata) count_schema(topic.metadata.size());
    reading_.add_topic(topic);
    topics_[id] = std::move(topic);
  }
  void take_message(std::string_view content) {
    const BagTopic* of = nullptr;
    std::uint64_t time_ns = 0, published_ns = 0;
    std::uint32_t sequence = 0;
    ByteCursor cursor(content);
    const bool sound = is_sound([&] {
      const auto id = cursor.number<std::uint16_t>();
      sequence = cursor.number<std::uint32_t>();
      time_ns = cursor.number<std::uint64_t>(), published_ns = cursor.number<std::uint64_t>();
      const auto topic = topics_.find(id);
      if (topic == topics_.end()) throw InputError(fmt::format("a message is of channel {}, which is not there", id));
      of = &topic->second;
    });
    if (!sound) return;
    ++messages_;
    on_message_({*of, time_ns, std::as_bytes(std::span(cursor.rest())), record_, file_, published_ns, sequence});
  }
  void take_chunk(std::string_view content, bool is_cut) {
    ChunkRecords chunk;
    if (!is_sound([&] { chunk = chunk_records(content, is_cut, room_); })) return;
    if (chunk.is_cut && !is_cut) add_damage(record_, "a chunk ends in zeros");
    inflated_ += chunk.bytes.size();
    if (inflated_ > most_bytes_) throw InputError(fmt::format("the chunks hold more than {} bytes", most_bytes_));
    take_records(chunk);
  }
  void take_records(const ChunkRecords& chunk) {
    ByteCursor records(chunk.bytes);
    while (!records.rest().empty()) {
      Op op = {};
      std::string_view content;
      try {
        op = static_cast<Op>(records.number<std::uint8_t>());
        content = records.raw(records.number<std::uint64_t>());
        if (op == Op{} || op == Op::kChunk) throw InputError("a chunk holds what is no record of one");
      } catch (const InputError& error) {
        if (!chunk.is_cut) add_damage(record_, error.what());
        return;
      }
      take(op, content);
    }
  }

  const std::filesystem::path& file_;
  std::uint64_t most_bytes_, inflated_ = 0, messages_ = 0, schema_bytes_ = 0;
  const OnBagMessage& on_message_;
  BagReading& reading_;
  std::map<std::uint16_t, Type> types_;
  std::map<std::uint16_t, BagTopic> topics_;
  std::uint64_t record_ = 0;  // the first byte of the current one
  std::string room_;
};

/// Reads `size` bytes; false if the file ends before.
bool read_exactly(std::istream& in, std::string& bytes, std::size_t size) {
  bytes.resize(size);
  in.read(bytes.data(), static_cast<std::streamsize>(size));
  return in.gcount() == static_cast<std::streamsize>(size);
}

bool is_read(Op op) { return op == Op::kSchema || op == Op::kChannel || op == Op::kMessage || op == Op::kChunk; }

/// An MCAP file from its first record to its last.
class McapWalk {
 public:
  McapWalk(std::istream& in, std::uint64_t size, McapRecords& records) : in_(in), size_(size), records_(records) {}

  /// Reads the summary at the end of a whole file: schemas and channels, for damaged chunks, and the places of chunks.
  void read_summary() {
    constexpr std::size_t kFooter = 20, kEnd = mcap::kRecordHead + kFooter + mcap::kMagic.size();
    std::string end;
    if (size_ < kEnd + mcap::kMagic.size() || !read_at(size_ - kEnd, end, kEnd)) return;
    ByteCursor cursor(end);
    const auto op = static_cast<Op>(cursor.number<std::uint8_t>());
    const auto length = cursor.number<std::uint64_t>(), begin = cursor.number<std::uint64_t>();
    if (op != Op::kFooter || length != kFooter || !end.ends_with(mcap::kMagic)) return;
    Head head;
    for (std::uint64_t at = begin; at != 0 && head_at(at, size_ - kEnd, head); at += mcap::kRecordHead + head.size) {
      if (!wants(head.op)) continue;
      if (!read_at(at + mcap::kRecordHead, content_, head.size)) return;
      if (head.op == Op::kChunkIndex && head.size > kChunkStart + sizeof(std::uint64_t)) {
        chunks_.insert(ByteCursor(std::string_view(content_).substr(kChunkStart)).number<std::uint64_t>());
      } else {
        records_.take_at(at, head.op, content_);
      }
    }
  }

  /// Returns a message about a torn file; empty if it is whole.
  std::string read() {
    Head head;
    for (std::uint64_t at = mcap::kMagic.size();;) {
      if (at == size_) return fmt::format("the file ends at byte {}, without a footer", at);
      if (!head_at(at, size_, head)) {
        const auto next = chunks_.upper_bound(at);
        if (next == chunks_.end() || *next >= size_) return tear(at, head);
        records_.add_damage(at, "it has no sound length");
        at = *next;
        continue;
      }
      if (head.op == Op::kDataEnd || head.op == Op::kFooter) return {};  // only the summary follows
      take(at, head);
      at += mcap::kRecordHead + head.size;
    }
  }

 private:
  static constexpr std::size_t kChunkStart = 16;  // of a ChunkIndex, behind two times
  struct Head {
    Op op = {};
    std::uint64_t size = 0;
  };
  static bool wants(Op op) { return op == Op::kSchema || op == Op::kChannel || op == Op::kChunkIndex; }

  /// Seeks only if necessary, because a seek drops the buffer.
  bool read_at(std::uint64_t at, std::string& bytes, std::size_t size) {
    if (at != at_) {
      in_.clear();
      in_.seekg(static_cast<std::streamoff>(at));
    }
    at_ = at + size;
    return read_exactly(in_, bytes, size);
  }

  /// Whether a plausible record begins at byte `at` and ends before `end`.
  bool head_at(std::uint64_t at, std::uint64_t end, Head& head) {
    constexpr std::uint8_t kLast = 15, kPrivate = 0x80;  // codes between have no meaning
    head = {};
    if (end - std::min(at, end) < mcap::kRecordHead || !read_at(at, content_, mcap::kRecordHead)) return false;
    ByteCursor cursor(content_);
    const auto op = cursor.number<std::uint8_t>();
    head = {static_cast<Op>(op), cursor.number<std::uint64_t>()};
    const bool may_be = (op > 0 && op <= kLast) || op >= kPrivate;
    return may_be && head.size <= end - at - mcap::kRecordHead;
  }

  /// Ignores other records, such as attachments.
  void take(std::uint64_t at, const Head& head) {
    if (!is_read(head.op)) return;
    if (head.size > kMostMessageBytes) {
      return records_.add_damage(at, fmt::format("{} bytes, the limit is {}", head.size, kMostMessageBytes));
    }
    if (!read_at(at + mcap::kRecordHead, content_, head.size)) return records_.add_damage(at, "it cannot be read");
    records_.take_at(at, head.op, content_);
  }

  /// Reads the begin of a truncated last chunk. Returns a message about the tear.
  std::string tear(std::uint64_t at, const Head& head) {
    const std::uint64_t left = size_ - std::min(size_, at + mcap::kRecordHead);
    if (head.op == Op{} && head.size == 0 && left > 0)
      return fmt::format("the file ends at byte {}, where zeros begin", at);
    if (head.op == Op::kChunk && left <= kMostMessageBytes && read_at(at + mcap::kRecordHead, content_, left)) {
      records_.take_at(at, head.op, content_, true);
    }
    return fmt::format("the file ends at byte {}, inside the record that begins at byte {}", size_, at);
  }

  std::istream& in_;
  std::uint64_t size_, at_ = ~std::uint64_t{0};  // of the file; position of the next byte
  McapRecords& records_;
  std::set<std::uint64_t> chunks_;
  std::string content_;
};

}  // namespace

BagReading read_mcap(const std::filesystem::path& file, const OnBagMessage& on_message) {
  require_readable_file(file);
  return within_memory(file, [&] {
    std::ifstream in(file, std::ios::binary);
    std::string magic;
    if (!read_exactly(in, magic, mcap::kMagic.size()) || magic != mcap::kMagic) {
      throw InputError(file.string() + ": this is no MCAP file, whose first bytes are 89 'MCAP0'");
    }
    return with_prefix(file.string(), [&] {
      const std::uint64_t size = std::filesystem::file_size(file);
      BagReading reading;
      const std::uint64_t most =
          std::max(kAnyBagBytes, kMostBagTimes * std::min(size, ~std::uint64_t{0} / kMostBagTimes));
      McapRecords records(file, most, on_message, reading);
      McapWalk walk(in, size, records);
      walk.read_summary();
      reading.tear = walk.read();
      if (records.messages() == 0 && reading.damaged > 0) throw InputError(reading.damage);
      return reading;
    });
  });
}

}  // namespace fathom
