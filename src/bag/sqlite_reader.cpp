// SPDX-License-Identifier: MIT
#include "bag/sqlite_reader.hpp"

#include <map>
#include <memory>

#include <fmt/format.h>
#include <sqlite3.h>

#include <fathom/base/error.hpp>

#include "base/text.hpp"
#include "text/read_file.hpp"

namespace fathom {

namespace {

constexpr std::int64_t kMostMessageBytes = std::int64_t{1} << 30;

/// A database that is only read. Errors name the file.
class Database {
 public:
  explicit Database(const std::filesystem::path& file) : file_(file) {
    sqlite3* raw = nullptr;
    // Immutable: no journal is looked for or made beside it.
    const int opened = sqlite3_open_v2(uri_of(file).c_str(), &raw, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, nullptr);
    database_.reset(raw);
    if (opened != SQLITE_OK) fail();
    sqlite3_limit(raw, SQLITE_LIMIT_LENGTH, static_cast<int>(kMostMessageBytes));
    sqlite3_db_config(raw, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
    sqlite3_db_config(raw, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  }

  /// Calls row(statement) for each row.
  template <class Row>
  void query(const char* sql, Row row) {
    sqlite3_stmt* raw = nullptr;
    if (sqlite3_prepare_v2(database_.get(), sql, -1, &raw, nullptr) != SQLITE_OK) fail();
    const std::unique_ptr<sqlite3_stmt, decltype(&sqlite3_finalize)> statement(raw, &sqlite3_finalize);
    for (int step = sqlite3_step(raw); step != SQLITE_DONE; step = sqlite3_step(raw)) {
      if (step != SQLITE_ROW) fail();
      row(raw);
    }
  }

  [[noreturn]] void fail(const std::string& what) const { throw InputError(file_.string() + ": " + what); }

 private:
  [[noreturn]] void fail() const {
    fail(fmt::format("this is no bag of rosbag2, or it is damaged: {}", one_line(sqlite3_errmsg(database_.get()))));
  }
  /// Percent-coded, as ? and # in the name would mean something.
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
};

std::string text_of(sqlite3_stmt* row, int column) {
  const unsigned char* const text = sqlite3_column_text(row, column);
  return text == nullptr ? "" : std::string(reinterpret_cast<const char*>(text));
}

}  // namespace

void read_sqlite_bag(const std::filesystem::path& file, const OnBagMessage& on_message) {
  require_readable_file(file);
  within_memory(file, [&] {
    Database bag(file);
    std::map<std::int64_t, BagTopic> topics;
    bag.query("SELECT id, name, type, serialization_format FROM topics", [&](sqlite3_stmt* row) {
      topics[sqlite3_column_int64(row, 0)] = {text_of(row, 1), text_of(row, 2), text_of(row, 3)};
    });
    bag.query("SELECT topic_id, timestamp, data, id FROM messages ORDER BY timestamp, id", [&](sqlite3_stmt* row) {
      const auto topic = topics.find(sqlite3_column_int64(row, 0));
      if (topic == topics.end())
        bag.fail(fmt::format("a message is of topic {}, which is not there", sqlite3_column_int64(row, 0)));
      const auto* const bytes = static_cast<const std::byte*>(sqlite3_column_blob(row, 2));
      const auto size = static_cast<std::size_t>(sqlite3_column_bytes(row, 2));
      on_message({topic->second,
                  static_cast<std::uint64_t>(sqlite3_column_int64(row, 1)),
                  {bytes, bytes == nullptr ? 0 : size},
                  {.record = static_cast<std::uint64_t>(sqlite3_column_int64(row, 3))}});
    });
  });
}

class SqliteMessages::Query {
 public:
  explicit Query(const std::filesystem::path& file) : bag(file) {}
  Database bag;
};

SqliteMessages::SqliteMessages(const std::filesystem::path& file) : query_(std::make_unique<Query>(file)) {}
SqliteMessages::~SqliteMessages() = default;

std::span<const std::byte> SqliteMessages::at(const BagPlace& place) {
  bool found = false;
  const std::string sql =
      fmt::format("SELECT data FROM messages WHERE id = {}", static_cast<std::int64_t>(place.record));
  query_->bag.query(sql.c_str(), [&](sqlite3_stmt* row) {
    const auto* const bytes = static_cast<const char*>(sqlite3_column_blob(row, 0));
    bytes_.assign(bytes == nullptr ? "" : bytes, static_cast<std::size_t>(sqlite3_column_bytes(row, 0)));
    found = true;
  });
  if (!found) query_->bag.fail(fmt::format("the file changed: message {} is there no more", place.record));
  return std::as_bytes(std::span(bytes_));
}

}  // namespace fathom
