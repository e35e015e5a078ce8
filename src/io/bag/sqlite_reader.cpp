// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <span>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sqlite3.h>

#include <fathom/core/error.hpp>

#include "core/errors.hpp"
#include "core/text.hpp"
#include "core/text/files.hpp"
#include "io/bag/mcap_format.hpp"
#include "io/bag/read_bag.hpp"

namespace fathom {

namespace {

constexpr std::uint64_t kRowBytes = 4;  // less than any row takes in a file
constexpr int kSteps = 10'000;          // steps of a query between two checks of its cost
constexpr std::uint64_t kAnyLooks = 1000, kBytesALook = 500;

std::string text_of(sqlite3_stmt* row, int column) {
  const unsigned char* const text = sqlite3_column_text(row, column);
  return text == nullptr ? "" : std::string(reinterpret_cast<const char*>(text));
}

/// A fault that SQLite reports.
class Damage : public InputError {
  using InputError::InputError;
};

/// A read-only database. Errors name the file.
class Database {
 public:
  explicit Database(const std::filesystem::path& file) : file_(file) {
    sqlite3* raw = nullptr;
    std::error_code none;
    if (const std::string log = file.string() + "-wal"; std::filesystem::file_size(log, none) > 0 && !none) {
      throw InputError(log + " may hold messages that the bag lacks; 'PRAGMA wal_checkpoint(TRUNCATE)' moves them");
    }
    // Immutable: ignores and makes no journal.
    const int opened = sqlite3_open_v2(uri_of(file).c_str(), &raw, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, nullptr);
    database_.reset(raw);
    if (opened != SQLITE_OK) fail();
    const std::uint64_t size = std::filesystem::file_size(file);
    // No value is longer than the file, and no query takes more steps than a sound file of this size needs.
    sqlite3_limit(raw, SQLITE_LIMIT_LENGTH, static_cast<int>(std::min(size, kMostMessageBytes)));
    most_looks_ = kAnyLooks + size / kBytesALook;
    sqlite3_progress_handler(raw, kSteps, &Database::is_endless, this);
    sqlite3_db_config(raw, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
    sqlite3_db_config(raw, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  }

  /// Calls row(statement) for each row.
  template <class Row>
  void query(const std::string& sql, Row row) {
    const Statement statement = prepare(sql);
    looks_ = 0;
    while (next(statement)) row(statement.get());
  }

  using Statement = std::unique_ptr<sqlite3_stmt, decltype(&sqlite3_finalize)>;
  Statement prepare(const std::string& sql) {
    sqlite3_stmt* raw = nullptr;
    if (sqlite3_prepare_v2(database_.get(), sql.c_str(), -1, &raw, nullptr) != SQLITE_OK) fail();
    return {raw, &sqlite3_finalize};
  }
  /// Whether there is another row.
  bool next(const Statement& statement) {
    const int step = sqlite3_step(statement.get());
    if (step != SQLITE_ROW && step != SQLITE_DONE) fail();
    return step == SQLITE_ROW;
  }

  [[noreturn]] void fail(const std::string& what) const { throw InputError(file_.string() + ": " + what); }

  /// Calls f(); its errors name the file.
  template <class F>
  void with_name(F f) const {
    with_prefix(file_.string(), f);
  }

  /// Throws InputError unless this is a stored table with these plain columns. A view or a computed column may never
  /// end.
  void check_table(const std::string& name, std::span<const std::string_view> columns) {
    if (!is_table(name)) fail(fmt::format("this is no bag of rosbag2: '{}' is no table", name));
    if (has_columns(name, columns)) return;
    fail(fmt::format("this is no bag of rosbag2: '{}' lacks plain columns {}", name, fmt::join(columns, ", ")));
  }
  bool is_table(const std::string& name) {
    bool found = false;
    query(
        fmt::format("SELECT type = 'table' FROM pragma_table_list WHERE schema = 'main' AND name = '{}' COLLATE NOCASE",
                    name),
        [&](sqlite3_stmt* row) { found = sqlite3_column_int(row, 0) != 0; });
    return found;
  }
  bool has_columns(const std::string& name, std::span<const std::string_view> columns) {
    std::size_t plain = 0;
    query(fmt::format("SELECT name FROM pragma_table_xinfo('{}') WHERE hidden = 0 AND dflt_value IS NULL", name),
          [&](sqlite3_stmt* row) {
            plain += std::find(columns.begin(), columns.end(), lower_case(text_of(row, 0))) == columns.end() ? 0 : 1;
          });
    return plain == columns.size();
  }

 private:
  static int is_endless(void* database) {
    auto& my = *static_cast<Database*>(database);
    return ++my.looks_ > my.most_looks_ ? 1 : 0;
  }
  [[noreturn]] void fail() const {
    const std::string why = sqlite3_errcode(database_.get()) == SQLITE_INTERRUPT
                                ? "it asks for more work than its size allows"
                                : one_line(sqlite3_errmsg(database_.get()));
    throw Damage(fmt::format("{}: this is no bag of rosbag2, or it is damaged: {}", file_.string(), why));
  }
  /// Percent-coded, because ? and # have a meaning in URIs.
  static std::string uri_of(const std::filesystem::path& file) {
    std::string uri = "file:";
    for (const char c : std::filesystem::absolute(file).string()) {
      if (c == '%' || c == '?' || c == '#') {
        uri += fmt::format("%{:02X}", static_cast<unsigned char>(c));
      } else {
        uri += c;
      }
    }
    return uri + "?immutable=1";
  }

  std::filesystem::path file_;
  std::unique_ptr<sqlite3, decltype(&sqlite3_close)> database_{nullptr, &sqlite3_close};
  std::uint64_t looks_ = 0, most_looks_ = 0;  // of the current query
};

constexpr std::array<std::string_view, 4> kTopicColumns = {"id", "name", "type", "serialization_format"},
                                          kMessageColumns = {"id", "topic_id", "timestamp", "data"};
// Of newer versions of rosbag2.
constexpr std::array<std::string_view, 1> kQosColumns = {"offered_qos_profiles"};
constexpr std::array<std::string_view, 3> kTypeColumns = {"topic_type", "encoding", "encoded_message_definition"};

class Db3Reader {
 public:
  Db3Reader(const std::filesystem::path& file, const OnBagMessage& on_message)
      : file_(file), most_bytes_(std::filesystem::file_size(file)), on_message_(on_message), bag_(file) {
    bag_.check_table("topics", kTopicColumns);
    bag_.check_table("messages", kMessageColumns);
  }

  BagReading read() {
    if (bag_.is_table("message_definitions") && bag_.has_columns("message_definitions", kTypeColumns)) {
      bag_.query("SELECT topic_type, encoding, encoded_message_definition FROM message_definitions",
                 [&](sqlite3_stmt* row) { take_type(row); });
    }
    const bool has_qos = bag_.has_columns("topics", kQosColumns);
    bag_.query(fmt::format("SELECT id, name, type, serialization_format, {} FROM topics",
                           has_qos ? "offered_qos_profiles" : "''"),
               [&](sqlite3_stmt* row) { take_topic(row); });
    try {
      // Reads blobs one by one, because a query without an index sorts all its columns on a disk.
      data_ = bag_.prepare("SELECT data FROM messages WHERE id = ?");
      bag_.query("SELECT topic_id, timestamp, id FROM messages ORDER BY timestamp, id",
                 [&](sqlite3_stmt* row) { take_message(row); });
    } catch (const Damage& damage) {
      if (messages_ == 0) throw InputError(damage.what());
      reading_.tear = fmt::format("the file is damaged behind message {}", messages_);
    }
    if (messages_ == 0 && reading_.damaged > 0) bag_.fail(reading_.damage);
    return std::move(reading_);
  }

 private:
  void count(std::uint64_t bytes) {
    bytes_ += bytes + kRowBytes;
    if (bytes_ > most_bytes_) bag_.fail("gives more bytes than it holds: pages of it are there twice");
  }

  void take_type(sqlite3_stmt* row) {
    std::string type = text_of(row, 0);
    BagSchema schema = {text_of(row, 1), text_of(row, 2)};
    count(type.size() + schema.encoding.size() + schema.definition.size());
    schemas_[std::move(type)] = std::make_shared<const BagSchema>(std::move(schema));
  }

  void take_topic(sqlite3_stmt* row) {
    BagTopic topic = {text_of(row, 1), text_of(row, 2), text_of(row, 3)};
    const std::string qos = text_of(row, 4);
    if (!qos.empty()) mcap::append_pair(topic.metadata, kQosColumns[0], qos);
    if (const auto known = schemas_.find(topic.type); known != schemas_.end()) topic.schema = known->second;
    count(topic.name.size() + topic.type.size() + topic.encoding.size() + qos.size());
    bag_.with_name([&] {
      check_topic(topic);
      reading_.add_topic(topic);
    });
    topics_[sqlite3_column_int64(row, 0)] = std::move(topic);
  }

  void take_message(sqlite3_stmt* row) {
    const std::int64_t id = sqlite3_column_int64(row, 2);
    const auto topic = topics_.find(sqlite3_column_int64(row, 0));
    if (topic == topics_.end()) {
      count(0);
      return reading_.add_damage(
          fmt::format("message {} is of topic {}, which is not there", id, sqlite3_column_int64(row, 0)));
    }
    sqlite3_reset(data_.get());
    sqlite3_bind_int64(data_.get(), 1, id);
    if (!bag_.next(data_)) return reading_.add_damage(fmt::format("message {} is not there", id));
    const auto* const bytes = static_cast<const std::byte*>(sqlite3_column_blob(data_.get(), 0));
    const auto size = static_cast<std::size_t>(sqlite3_column_bytes(data_.get(), 0));
    count(size);
    ++messages_;
    bag_.with_name([&] {
      on_message_({topic->second,
                   static_cast<std::uint64_t>(sqlite3_column_int64(row, 1)),
                   {bytes, bytes == nullptr ? 0 : size},
                   static_cast<std::uint64_t>(id),
                   file_,
                   static_cast<std::uint64_t>(sqlite3_column_int64(row, 1))});
    });
  }

  const std::filesystem::path& file_;
  std::uint64_t most_bytes_, bytes_ = 0, messages_ = 0;
  const OnBagMessage& on_message_;
  Database bag_;
  Database::Statement data_{nullptr, &sqlite3_finalize};             // destroyed before the database
  std::map<std::string, std::shared_ptr<const BagSchema>> schemas_;  // by name of the type
  std::map<std::int64_t, BagTopic> topics_;
  BagReading reading_;
};

}  // namespace

BagReading read_sqlite_bag(const std::filesystem::path& file, const OnBagMessage& on_message) {
  require_readable_file(file);
  return within_memory(file, [&] { return Db3Reader(file, on_message).read(); });
}

}  // namespace fathom
