// SPDX-License-Identifier: MIT
// Bags of all formats, and their reports. SQLite makes the .db3 files with the tables of rosbag2.

#include <sqlite3.h>

#include <fathom/files/log_files.hpp>

#include "io/bag/mcap_writer.hpp"
#include "io/bag/read_bag.hpp"
#include "io/message/cdr.hpp"
#include "io/message/geometry.hpp"
#include "io/message/sensors.hpp"
#include "support/expect.hpp"

namespace fathom::test::read_bag_test {
namespace {

msg::LaserScan scan_at(int k) {
  msg::LaserScan scan;
  scan.header = {msg::time_of(0.1 * k), "laser"};
  scan.ranges.assign(100, 1.0F + static_cast<float>(k));
  return scan;
}

msg::TFMessage transform_at(int k) {
  msg::TFMessage message;
  message.transforms.push_back({{msg::time_of(0.1 * k), "map"}, "laser", {{0.5 * k, 0, 0}, {}}});
  return message;
}

constexpr std::uint64_t kStep = 100'000'000;  // ns

/// As rosbag2_storage_sqlite3 makes it; messages in another order than their times.
void write_db3(const std::filesystem::path& file, int first, int count) {
  sqlite3* raw = nullptr;
  ASSERT_EQ(sqlite3_open(file.c_str(), &raw), SQLITE_OK);
  const std::unique_ptr<sqlite3, decltype(&sqlite3_close)> database(raw, &sqlite3_close);
  ASSERT_EQ(sqlite3_exec(raw,
                         "BEGIN; CREATE TABLE topics(id INTEGER PRIMARY KEY, name TEXT NOT NULL, type TEXT NOT NULL, "
                         "serialization_format TEXT NOT NULL, offered_qos_profiles TEXT NOT NULL);"
                         "CREATE TABLE messages(id INTEGER PRIMARY KEY, topic_id INTEGER NOT NULL, timestamp INTEGER "
                         "NOT NULL, data BLOB NOT NULL);"
                         "INSERT INTO topics VALUES(1, '/scan', 'sensor_msgs/msg/LaserScan', 'cdr', '');"
                         "INSERT INTO topics VALUES(2, '/tf', 'tf2_msgs/msg/TFMessage', 'cdr', '');"
                         "INSERT INTO topics VALUES(3, '/joy', 'sensor_msgs/msg/Joy', 'cdr', '');",
                         nullptr, nullptr, nullptr),
            SQLITE_OK);
  sqlite3_stmt* insert = nullptr;
  sqlite3_prepare_v2(raw, "INSERT INTO messages(topic_id, timestamp, data) VALUES(?, ?, ?)", -1, &insert, nullptr);
  const auto add = [&](int topic, std::uint64_t time, const std::string& bytes) {
    sqlite3_bind_int(insert, 1, topic), sqlite3_bind_int64(insert, 2, static_cast<std::int64_t>(time));
    sqlite3_bind_blob(insert, 3, bytes.data(), static_cast<int>(bytes.size()), SQLITE_TRANSIENT);
    ASSERT_EQ(sqlite3_step(insert), SQLITE_DONE);
    sqlite3_reset(insert);
  };
  for (int k = first + count - 1; k >= first; --k) {
    add(1, kStep * static_cast<std::uint64_t>(k), write_message(scan_at(k)));
    add(2, kStep * static_cast<std::uint64_t>(k) + 1, write_message(transform_at(k)));
  }
  add(3, kStep, "what no one knows");
  sqlite3_finalize(insert);
  ASSERT_EQ(sqlite3_exec(raw, "COMMIT", nullptr, nullptr, nullptr), SQLITE_OK);
}

struct Seen {
  std::string topic;
  std::uint64_t time_ns;
  std::string bytes;
  bool operator==(const Seen&) const = default;
};

std::vector<Seen> messages_of(const std::filesystem::path& bag) {
  std::vector<Seen> seen;
  const BagReading reading = read_bag(bag, [&](const BagMessage& m) {
    seen.push_back({m.topic.name, m.time_ns, {reinterpret_cast<const char*>(m.bytes.data()), m.bytes.size()}});
  });
  EXPECT_TRUE(reading.notes().empty());
  return seen;
}

TEST(ReadBag, Db3ComesInTheOrderOfTime) {
  const TemporaryFolder folder;
  write_db3(folder / "a #1?.db3", 0, 5);
  const std::vector<Seen> seen = messages_of(folder / "a #1?.db3");
  ASSERT_EQ(seen.size(), 11U);
  for (std::size_t i = 1; i < seen.size(); ++i) EXPECT_LE(seen[i - 1].time_ns, seen[i].time_ns);
  EXPECT_EQ(seen[0], (Seen{"/scan", 0, write_message(scan_at(0))}));
  EXPECT_EQ(seen.back(), (Seen{"/tf", 4 * kStep + 1, write_message(transform_at(4))}));
  EXPECT_EQ(folder.count(), 1) << "reading left something beside the bag";
}

TEST(ReadBag, AFolderIsItsFilesInTheOrderOfTheirNumbers) {
  const TemporaryFolder folder;
  write_db3(folder / "run_2.db3", 0, 2);
  write_db3(folder / "run_10.db3", 2, 2);
  folder.write("metadata.yaml", "rosbag2_bagfile_information: {}\n");
  std::vector<std::uint64_t> scans;
  for (const Seen& m : messages_of(folder.path())) {
    if (m.topic == "/scan") scans.push_back(m.time_ns / kStep);
  }
  EXPECT_EQ(scans, (std::vector<std::uint64_t>{0, 1, 2, 3}));
}

TEST(ReadBag, AFolderMayHoldManyFilesOfMcap) {
  const TemporaryFolder folder;
  for (int file = 0; file < 12; ++file) {  // drive_10 after drive_9
    McapWriter bag(folder / ("drive_" + std::to_string(file) + ".mcap"));
    const std::uint16_t topic = bag.add_topic("/scan", msg::LaserScan::kType);
    bag.write(topic, kStep * static_cast<std::uint64_t>(file), write_message(scan_at(file)));
    bag.commit();
  }
  std::vector<std::uint64_t> scans;
  for (const Seen& m : messages_of(folder.path())) scans.push_back(m.time_ns / kStep);
  EXPECT_EQ(scans, (std::vector<std::uint64_t>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}));
}

// What rosbag2 writes with --compression-mode file, and with --compression-mode message.
TEST(ReadBag, RefusesWhatIsCompressedFromOutsideInOneLine) {
  const std::string zstd = "\x28\xb5\x2f\xfd\x04 and more";
  for (const char* name : {"run_0.db3.zstd", "run_0.mcap.zstd"}) {
    const TemporaryFolder folder;
    folder.write(name, zstd);
    for (const std::filesystem::path& bag : {folder.path(), folder / name}) {
      EXPECT_TRUE(contains(message_of<InputError>([&] { static_cast<void>(read_bag_info(bag)); }),
                           std::string(name) + ": is compressed as a whole, and only bags are read; unpack it first"));
    }
  }
  const test::TemporaryFolder folder;
  const auto gzip = folder.write("run.mcap.gz", "\x1f\x8b\x08 and more");
  EXPECT_TRUE(contains(message_of<InputError>([&] { static_cast<void>(read_bag_info(gzip)); }),
                       "run.mcap.gz: is compressed as a whole, and only bags are read; unpack it first: gzip -d"));
  msg::LaserScan scan;
  EXPECT_EQ(message_of<InputError>([&] { read_message(std::as_bytes(std::span(zstd)), scan); }),
            "sensor_msgs/msg/LaserScan: the message is compressed by itself (zstd), which is not read");
}

/// As a recording leaves it that was killed.
TEST(ReadBag, Db3WithMessagesBesideItIsRefused) {
  const test::TemporaryFolder folder;
  write_db3(folder / "a.db3", 0, 2);
  folder.write("a.db3-wal", "");
  EXPECT_EQ(read_bag_info(folder / "a.db3").messages, 5U);
  folder.write("a.db3-wal", "frames");
  EXPECT_TRUE(contains(message_of<InputError>([&] { static_cast<void>(read_bag_info(folder / "a.db3")); }),
                       "a.db3-wal may hold messages that the bag lacks"));
}

TEST(ReadBag, InfoCountsRatesAndFrames) {
  const TemporaryFolder folder;
  write_db3(folder / "a.db3", 0, 5);
  const BagInfo info = read_bag_info(folder / "a.db3");
  EXPECT_EQ(info.format, "sqlite3");
  EXPECT_EQ(info.messages, 11U);
  EXPECT_NEAR(info.last_s, 0.400000001, 1e-12);
  ASSERT_EQ(info.topics.size(), 3U);
  EXPECT_EQ(info.topics[0].name, "/joy");
  EXPECT_FALSE(info.topics[0].is_known);
  const BagInfo::Topic& scan = info.topics[1];
  EXPECT_EQ(scan.type, "sensor_msgs/msg/LaserScan");
  EXPECT_TRUE(scan.is_known);
  EXPECT_EQ(scan.messages, 5U);
  EXPECT_NEAR(scan.rate_hz(), 10.0, 1e-9);
  EXPECT_EQ(scan.frames, std::vector<std::string>{"laser"});
  EXPECT_EQ(info.topics[2].frames, (std::vector<std::string>{"map", "laser"}));
}

TEST(ReadBag, InfoTellsOfDamagedMessagesAndReadsOn) {
  const TemporaryFolder folder;
  McapWriter bag(folder / "a.mcap");
  const std::uint16_t topic = bag.add_topic("/scan", msg::LaserScan::kType);
  bag.write(topic, 0, write_message(scan_at(0)));
  bag.write(topic, 1, write_message(scan_at(1)).substr(0, 50));
  bag.write(topic, 2, write_message(scan_at(2)));
  bag.commit();
  const BagInfo info = read_bag_info(folder / "a.mcap");
  ASSERT_EQ(info.topics.size(), 1U);
  EXPECT_EQ(info.topics[0].messages, 3U);
  EXPECT_EQ(info.topics[0].damaged, 1U);
  EXPECT_TRUE(contains(info.topics[0].damage, "/a.mcap: sensor_msgs/msg/LaserScan: ")) << info.topics[0].damage;
}

TEST(ReadBag, RefusesWhatIsNoBag) {
  const TemporaryFolder folder;
  const auto refusal = [&](const std::filesystem::path& bag) {
    return message_of<InputError>([&] { static_cast<void>(read_bag_info(bag)); });
  };
  folder.write("a.txt", "hello");
  EXPECT_TRUE(contains(refusal(folder / "a.txt"), "a.txt: this is no bag: neither MCAP nor a .db3"));
  folder.write("a.bag", "#ROSBAG V2.0\n");
  EXPECT_TRUE(contains(refusal(folder / "a.bag"), "a bag of ROS 1"));
  EXPECT_TRUE(contains(refusal(folder.path()), "holds no bag"));
  folder.write("b.db3", std::string("SQLite format 3\0", 16) + std::string(200, 'x'));
  EXPECT_TRUE(contains(refusal(folder / "b.db3"), "b.db3: this is no bag of rosbag2, or it is damaged: "));
  sqlite3* raw = nullptr;
  ASSERT_EQ(sqlite3_open((folder / "c.db3").c_str(), &raw), SQLITE_OK);
  sqlite3_exec(raw, "CREATE TABLE cats(name TEXT)", nullptr, nullptr, nullptr);
  sqlite3_close(raw);
  EXPECT_TRUE(contains(refusal(folder / "c.db3"), "c.db3: this is no bag of rosbag2: 'topics' is no table"));
}

/// A .db3 that SQLite runs these words on.
void write_sql(const std::filesystem::path& file, const std::string& sql) {
  sqlite3* raw = nullptr;
  ASSERT_EQ(sqlite3_open(file.c_str(), &raw), SQLITE_OK);
  const std::unique_ptr<sqlite3, decltype(&sqlite3_close)> database(raw, &sqlite3_close);
  ASSERT_EQ(sqlite3_exec(raw, sql.c_str(), nullptr, nullptr, nullptr), SQLITE_OK) << sqlite3_errmsg(raw);
}

const std::string kTopics = "CREATE TABLE topics(id INTEGER PRIMARY KEY, name, type, serialization_format);";
const std::string kMessages = "CREATE TABLE messages(id INTEGER PRIMARY KEY, topic_id, timestamp, data);";

TEST(ReadBag, Db3WhoseRowsAreComputedIsRefused) {
  const std::string endless = " AS WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT x AS id, ";
  for (const auto& [sql, why] :
       {std::pair<std::string, std::string>(kMessages + "CREATE VIEW topics" + endless +
                                                "'/a' AS name, 'b' AS type, 'cdr' AS serialization_format FROM c",
                                            "'topics' is no table"),
        {kTopics + "CREATE VIEW Messages" + endless + "1 AS topic_id, 1 AS timestamp, x'' AS data FROM c WHERE x < 0",
         "'messages' is no table"},
        {kTopics + "CREATE TABLE messages(id INTEGER PRIMARY KEY, topic_id, timestamp, data AS (zeroblob(1000000)))",
         "'messages' lacks plain columns id, topic_id, timestamp, data"},
        {kTopics + "CREATE TABLE messages(id INTEGER PRIMARY KEY, topic_id, timestamp, data DEFAULT x'00')",
         "'messages' lacks plain columns"},
        {kTopics + "CREATE VIRTUAL TABLE messages USING fts5(id, topic_id, timestamp, data)", "'messages' is no table"},
        {kMessages + "CREATE TABLE topics(id, name)", "'topics' lacks plain columns"}}) {
    const TemporaryFolder folder;
    if (sql.find("fts5") != std::string::npos && sqlite3_compileoption_used("ENABLE_FTS5") == 0) continue;
    write_sql(folder / "a.db3", sql);
    EXPECT_TRUE(contains(message_of<InputError>([&] { static_cast<void>(read_bag_info(folder / "a.db3")); }),
                         "a.db3: this is no bag of rosbag2: " + why))
        << sql;
  }
}

std::size_t big_endian16(const std::string& bytes, std::size_t at) {
  return 256 * static_cast<std::size_t>(static_cast<unsigned char>(bytes[at])) +
         static_cast<unsigned char>(bytes[at + 1]);
}

constexpr std::size_t kCells = 3, kLastChild = 8, kCellPlaces = 12;  // in an inner page of a table

/// A tree of 60^6 rows in 32 kB: all branches of an inner page lead to the page behind it.
TEST(ReadBag, Db3WithRowsWithoutEndIsRefused) {
  constexpr std::size_t kPage = 512, kRoot = 2 * kPage;
  const TemporaryFolder folder;
  write_sql(folder / "a.db3", "PRAGMA page_size = 512;" + kTopics + kMessages +
                                  "INSERT INTO topics VALUES(1, '/a', 'b', 'cdr');"
                                  "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c WHERE x < 60) "
                                  "INSERT INTO messages SELECT x, 1, x, randomblob(400) FROM c");
  std::string bytes = bytes_of(folder / "a.db3");
  ASSERT_EQ(bytes[kRoot], 5) << "an inner page";
  std::string page = bytes.substr(kRoot, kPage);
  for (char level = 0; level < 6; ++level) {
    const std::string below = {0, 0, 0, static_cast<char>(4 + level)};  // the first page is page 1
    page.replace(kLastChild, 4, below);
    for (std::size_t k = 0; k < big_endian16(page, kCells); ++k) {
      page.replace(big_endian16(page, kCellPlaces + 2 * k), 4, below);
    }
    bytes.replace(kRoot + static_cast<std::size_t>(level) * kPage, kPage, page);
  }
  folder.write("b.db3", bytes);
  EXPECT_TRUE(
      contains(message_of<InputError>([&] { static_cast<void>(read_bag_info(folder / "b.db3")); }),
               "b.db3: this is no bag of rosbag2, or it is damaged: it asks for more work than its size allows"));
}

/// A tree whose branches all lead to the leaf with the longest rows.
TEST(ReadBag, Db3GivesNoMoreBytesThanItHolds) {
  constexpr std::size_t kPage = 4096;
  const TemporaryFolder folder;
  write_sql(folder / "a.db3", "PRAGMA page_size = 4096;" + kTopics + kMessages +
                                  "INSERT INTO topics VALUES(1, '/a', 'b', 'cdr');"
                                  "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c WHERE x < 400) "
                                  "INSERT INTO messages SELECT x, 1, x, randomblob(iif(x < 5, 40000, 900)) FROM c");
  EXPECT_EQ(read_bag_info(folder / "a.db3").messages, 400U);
  std::string bytes = bytes_of(folder / "a.db3");
  std::size_t branches = 0;
  for (std::size_t page = kPage; page < bytes.size(); page += kPage) {
    if (bytes[page] != 5 || bytes[page + 1] != 0) continue;  // an inner page of a table, with no free blocks
    const auto cell = [&](std::size_t k) { return page + big_endian16(bytes, page + kCellPlaces + 2 * k); };
    const std::string first = bytes.substr(cell(0), 4);  // a cell begins with the page below it
    const std::size_t cells = big_endian16(bytes, page + kCells);
    for (std::size_t k = 0; k < cells; ++k, ++branches) bytes.replace(cell(k), 4, first);
  }
  ASSERT_GT(branches, 50U);
  folder.write("b.db3", bytes);
  EXPECT_TRUE(contains(message_of<InputError>([&] { static_cast<void>(read_bag_info(folder / "b.db3")); }),
                       "b.db3: gives more bytes than it holds"));
}

TEST(ReadBag, Db3NamesWhatItPassesOver) {
  const TemporaryFolder folder;
  write_sql(folder / "a.db3", kTopics + kMessages +
                                  "INSERT INTO topics VALUES(1, '/a', 'b', 'cdr'), (2, '/c', 'd', 'rmw_cyclonedds');"
                                  "INSERT INTO messages VALUES(1, 1, 5, x'00'), (2, 9, 6, x'00'), (3, 1, 7, x'00')");
  const BagInfo info = read_bag_info(folder / "a.db3");
  EXPECT_EQ(info.messages, 2U);
  EXPECT_EQ(info.damaged, 1U);
  EXPECT_TRUE(contains(info.damage, "message 2 is of topic 9, which is not there")) << info.damage;
  ASSERT_EQ(info.topics.size(), 2U);
  EXPECT_EQ(info.topics[1].messages, 0U);
  EXPECT_EQ(info.topics[1].encoding, "rmw_cyclonedds");
  EXPECT_EQ(info.first_s, 5e-9);
}

RC_GTEST_PROP(ReadBag, AnyChangedDb3IsReadOrRefusedInOneLine, ()) {
  const TemporaryFolder folder;
  write_db3(folder / "a.db3", 0, 3);
  std::string bytes = bytes_of(folder / "a.db3");
  for (int i = 0; i < 5; ++i) bytes[*rc::gen::inRange<std::size_t>(0, bytes.size())] = *rc::gen::arbitrary<char>();
  bytes.resize(*rc::gen::inRange<std::size_t>(1, bytes.size() + 1));
  folder.write("b.db3", bytes);
  try {
    static_cast<void>(read_bag_info(folder / "b.db3"));
  } catch (const InputError& error) {
    RC_ASSERT(std::string(error.what()).find('\n') == std::string::npos);
    RC_ASSERT(contains(error.what(), "b.db3: "));
  }
}

}  // namespace
}  // namespace fathom::test::read_bag_test
