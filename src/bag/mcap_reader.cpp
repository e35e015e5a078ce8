// SPDX-License-Identifier: MIT
#include "bag/mcap_reader.hpp"

#include <fstream>
#include <map>

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

/// What the records of a file mean, one after the other.
class McapRecords {
 public:
  explicit McapRecords(const OnBagMessage& on_message) : on_message_(on_message) {}

  void take(Op op, std::string_view content) {
    ByteCursor cursor(content);
    if (op == Op::kSchema) take_schema(cursor);
    if (op == Op::kChannel) take_channel(cursor);
    if (op == Op::kMessage) take_message(cursor);
    if (op == Op::kChunk) take_chunk(cursor);
  }

 private:
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
    on_message_({topic->second, time_ns, std::as_bytes(std::span(cursor.rest()))});
  }
  void take_chunk(ByteCursor& cursor) {
    static_cast<void>(cursor.raw(16));  // times of the first and the last message
    const auto size = cursor.number<std::uint64_t>();
    const auto crc = cursor.number<std::uint32_t>();
    const std::string_view compression = cursor.text();
    ByteCursor records(decompress(compression, cursor.raw(cursor.number<std::uint64_t>()), size, room_));
    const std::string_view all = records.rest();
    if (crc != 0 && crc != crc32_z(0, reinterpret_cast<const unsigned char*>(all.data()), all.size())) {
      throw InputError("a chunk is damaged: its checksum is another");
    }
    while (!records.rest().empty()) {
      const auto op = static_cast<Op>(records.number<std::uint8_t>());
      const std::string_view content = records.raw(records.number<std::uint64_t>());
      if (op == Op::kChunk) throw InputError("a chunk holds a chunk");
      take(op, content);
    }
  }

  const OnBagMessage& on_message_;
  std::map<std::uint16_t, std::string> types_;
  std::map<std::uint16_t, BagTopic> topics_;
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
      records.take(op, content);
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

}  // namespace fathom
