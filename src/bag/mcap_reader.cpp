// SPDX-License-Identifier: MIT
#include "bag/mcap_reader.hpp"

#include <fstream>
#include <map>
#include <utility>

#include <fmt/format.h>
#include <zlib.h>

#include <fathom/base/error.hpp>

#include "bag/byte_cursor.hpp"
#include "bag/decompress.hpp"
#include "bag/mcap_format.hpp"
#include "base/text.hpp"
#include "text/read_file.hpp"

namespace fathom {

namespace {

using mcap::Op;

/// The records of a chunk, unpacked into `room` where they are compressed.
std::string_view chunk_records(ByteCursor& cursor, std::string& room) {
  static_cast<void>(cursor.raw(16));  // times of the first and the last message
  const auto size = cursor.number<std::uint64_t>();
  const auto crc = cursor.number<std::uint32_t>();
  const std::string_view compression = cursor.text();
  const std::string_view all = decompress(compression, cursor.raw(cursor.number<std::uint64_t>()), size, room);
  if (crc != 0 && crc != crc32_z(0, reinterpret_cast<const unsigned char*>(all.data()), all.size())) {
    throw InputError("a chunk is damaged: its checksum is another");
  }
  return all;
}

/// What the records of a file mean, one after the other.
class McapRecords {
 public:
  explicit McapRecords(const OnBagMessage& on_message) : on_message_(on_message) {}

  /// A record that begins at byte `at` of the file.
  void take_at(std::uint64_t at, Op op, std::string_view content) {
    place_.record = at, place_.inside = 0;
    take(op, content);
  }

 private:
  void take(Op op, std::string_view content) {
    ByteCursor cursor(content);
    if (op == Op::kSchema) take_schema(cursor);
    if (op == Op::kChannel) take_channel(cursor);
    if (op == Op::kMessage) take_message(cursor);
    if (op == Op::kChunk) take_chunk(cursor);
  }

  void take_schema(ByteCursor& cursor) {
    const auto id = cursor.number<std::uint16_t>();
    types_[id] = std::string(cursor.text());
  }
  void take_channel(ByteCursor& cursor) {
    const auto id = cursor.number<std::uint16_t>(), schema = cursor.number<std::uint16_t>();
    BagTopic topic{std::string(cursor.text()), {}, std::string(cursor.text())};
    if (const auto type = types_.find(schema); type != types_.end()) topic.type = type->second;
    topics_[id] = std::move(topic);
  }
  void take_message(ByteCursor& cursor) {
    const auto id = cursor.number<std::uint16_t>();
    static_cast<void>(cursor.number<std::uint32_t>());  // sequence
    const auto time_ns = cursor.number<std::uint64_t>();
    static_cast<void>(cursor.number<std::uint64_t>());  // when it was published
    const auto topic = topics_.find(id);
    if (topic == topics_.end()) throw InputError(fmt::format("a message is of channel {}, which is not there", id));
    on_message_({topic->second, time_ns, std::as_bytes(std::span(cursor.rest())), place_});
  }
  void take_chunk(ByteCursor& cursor) {
    ByteCursor records(chunk_records(cursor, room_));
    const std::size_t size = records.rest().size();
    while (!records.rest().empty()) {
      place_.inside = size - records.rest().size();
      const auto op = static_cast<Op>(records.number<std::uint8_t>());
      const std::string_view content = records.raw(records.number<std::uint64_t>());
      if (op == Op::kChunk) throw InputError("a chunk holds a chunk");
      take(op, content);
    }
  }

  const OnBagMessage& on_message_;
  std::map<std::uint16_t, std::string> types_;
  std::map<std::uint16_t, BagTopic> topics_;
  BagPlace place_;
  std::string room_;
};

/// Reads `size` bytes; false where the file ends before.
bool read_exactly(std::istream& in, std::string& bytes, std::size_t size) {
  bytes.resize(size);
  in.read(bytes.data(), static_cast<std::streamsize>(size));
  return in.gcount() == static_cast<std::streamsize>(size);
}

std::string read_records(std::istream& in, std::uint64_t file_size, McapRecords& records) {
  std::string head, content;
  std::uint64_t at = mcap::kMagic.size();
  for (;;) {
    if (at == file_size) return fmt::format("the file ends at byte {}, without a footer", at);
    if (file_size - at < mcap::kRecordHead || !read_exactly(in, head, mcap::kRecordHead)) break;
    ByteCursor cursor(head);
    const auto op = static_cast<Op>(cursor.number<std::uint8_t>());
    const auto size = cursor.number<std::uint64_t>();
    if (op == Op::kDataEnd || op == Op::kFooter) return {};  // what follows repeats what was read
    if (size > file_size - at - mcap::kRecordHead || !read_exactly(in, content, size)) break;
    try {
      records.take_at(at, op, content);
    } catch (const InputError& error) {
      throw InputError(fmt::format("record at byte {}: {}", at, error.what()));
    }
    at += mcap::kRecordHead + size;
  }
  return fmt::format("the file ends at byte {}, inside the record that begins at byte {}", file_size, at);
}

}  // namespace

std::string read_mcap(const std::filesystem::path& file, const OnBagMessage& on_message) {
  require_readable_file(file);
  return within_memory(file, [&] {
    std::ifstream in(file, std::ios::binary);
    std::string magic;
    if (!read_exactly(in, magic, mcap::kMagic.size()) || magic != mcap::kMagic) {
      throw InputError(file.string() + ": this is no MCAP file, whose first bytes are 89 'MCAP0'");
    }
    McapRecords records(on_message);
    try {
      return read_records(in, std::filesystem::file_size(file), records);
    } catch (const InputError& error) {
      throw InputError(file.string() + ": " + error.what());
    }
  });
}

McapMessages::McapMessages(std::filesystem::path file) : file_(std::move(file)), in_(file_, std::ios::binary) {}

std::span<const std::byte> McapMessages::at(const BagPlace& place) {
  constexpr std::uint64_t kMessageHead = 22;  // channel, sequence and two times
  try {
    ByteCursor records(chunk_at(place.record));
    static_cast<void>(records.raw(place.inside));
    if (static_cast<Op>(records.number<std::uint8_t>()) != Op::kMessage)
      throw InputError("the file changed: no message is here");
    ByteCursor message(records.raw(records.number<std::uint64_t>()));
    static_cast<void>(message.raw(kMessageHead));
    return std::as_bytes(std::span(message.rest()));
  } catch (const InputError& error) {
    throw InputError(fmt::format("{}: record at byte {}: {}", file_.string(), place.record, error.what()));
  }
}

/// The records of the chunk that begins there, or the one record that does.
std::string_view McapMessages::chunk_at(std::uint64_t record) {
  if (chunk_ == record) return records_;
  chunk_.reset();
  in_.clear();
  in_.seekg(static_cast<std::streamoff>(record));
  if (!read_exactly(in_, content_, mcap::kRecordHead)) throw InputError("the file changed: it ends before");
  ByteCursor head(content_);
  const auto op = static_cast<Op>(head.number<std::uint8_t>());
  const auto size = head.number<std::uint64_t>();
  if (size > std::filesystem::file_size(file_)) throw InputError("the file changed: a record is longer than it");
  const std::string begin = content_;
  if (!read_exactly(in_, content_, size)) throw InputError("the file changed: it ends before");
  if (op == Op::kChunk) {
    ByteCursor cursor(content_);
    records_ = chunk_records(cursor, room_);
  } else {
    content_.insert(0, begin);
    records_ = content_;
  }
  chunk_ = record;
  return records_;
}

}  // namespace fathom
