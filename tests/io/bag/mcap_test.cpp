// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <lz4frame.h>
#include <nlohmann/json.hpp>
#include <zstd.h>

#include "io/bag/mcap_format.hpp"
#include "io/bag/mcap_writer.hpp"
#include "io/bag/read_bag.hpp"
#include "io/message/cdr.hpp"
#include "io/message/geometry.hpp"
#include "io/message/sensors.hpp"
#include "support/expect.hpp"

namespace fathom::test {
namespace {

using nlohmann::json;

struct Recorded {
  std::string topic, type;
  std::uint64_t time_ns = 0;
  std::string bytes;

  bool operator==(const Recorded&) const = default;
};

std::vector<Recorded> messages_of(const std::filesystem::path& file, std::string* tear = nullptr) {
  std::vector<Recorded> found;
  const BagReading reading = read_mcap(file, [&found](const BagMessage& message) {
    found.push_back({message.topic.name, message.topic.type, message.time_ns,
                     std::string(reinterpret_cast<const char*>(message.bytes.data()), message.bytes.size())});
    EXPECT_EQ(message.topic.encoding, "cdr");
  });
  EXPECT_EQ(reading.damaged, 0U) << reading.damage;
  if (tear != nullptr) *tear = reading.tear;
  return found;
}

std::string from_hex(const std::string& hex) {
  std::string bytes;
  for (std::size_t i = 0; i < hex.size(); i += 2) {
    bytes.push_back(static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16)));
  }
  return bytes;
}

/// Scans of growing size and clocks, on two topics: over a megabyte, so several chunks, the last without scans.
std::vector<Recorded> write_example(const std::filesystem::path& file, std::size_t scans = 60) {
  McapWriter bag(file);
  const std::uint16_t scan = bag.add_topic("/scan", msg::LaserScan::kType);
  const std::uint16_t clock = bag.add_topic("/clock", msg::Clock::kType);
  std::vector<Recorded> all;
  const auto write = [&](std::uint16_t topic, std::uint64_t time, const auto& message, const char* name) {
    all.push_back({name, std::string(message.kType.name), time, write_message(message)});
    bag.write(topic, time, all.back().bytes);
  };
  for (std::size_t i = 0; i < scans; ++i) {
    msg::LaserScan message;
    message.header = {msg::time_of(0.1 * static_cast<double>(i)), "laser"};
    for (std::size_t r = 0; r < 200 * i; ++r) message.ranges.push_back(static_cast<float>(r * r % 7919) * 0.001F);
    write(clock, 1000 * i, msg::Clock{message.header.stamp}, "/clock");
    write(scan, 1000 * i + 7, message, "/scan");
  }
  bag.commit();
  return all;
}

class McapAnswersTest : public testing::TestWithParam<const char*> {};

TEST_P(McapAnswersTest, ReadsWhatAnotherProgramWrote) {
  std::ifstream in(FATHOM_SOURCE_DIR "/tests/io/message/answers.json");
  const json answers = json::parse(in);
  std::vector<Recorded> expected;
  for (const json& answer : answers["messages"]) {
    const std::string name = answer["type"];
    std::string type = name;
    expected.push_back({"/" + name, type.insert(type.find('/'), "/msg"), expected.size() * 1'234'567'890ULL,
                        from_hex(answer["bytes"])});
  }
  std::string tear;
  const auto found = messages_of(fmt::format("{}/tests/io/bag/answers_{}.mcap", FATHOM_SOURCE_DIR, GetParam()), &tear);
  EXPECT_EQ(tear, "");
  ASSERT_EQ(expected.size(), 54U);
  EXPECT_EQ(found, expected);
}

INSTANTIATE_TEST_SUITE_P(Compressions, McapAnswersTest, testing::Values("none", "zstd", "lz4"));

TEST(McapTest, ReadsBackWhatItWrote) {
  const TemporaryFolder folder;
  for (const std::size_t scans : {std::size_t{0}, std::size_t{1}, std::size_t{60}}) {
    const auto written = write_example(folder / "a.mcap", scans);
    std::string tear;
    EXPECT_EQ(messages_of(folder / "a.mcap", &tear), written);
    EXPECT_EQ(tear, "");
  }
}

TEST(McapTest, AnotherProgramReadsWhatItWrites) {
  if (std::string(FATHOM_NPM).empty())
    GTEST_SKIP() << "no npm packages to judge by: configure with -DFATHOM_NPM=<folder>";
  const TemporaryFolder folder;
  const auto written = write_example(folder / "a.mcap");
  const std::string command =
      fmt::format("'{}' '{}/tests/io/bag/judge.mjs' '{}' '{}' > '{}'", FATHOM_NODE, FATHOM_SOURCE_DIR, FATHOM_NPM,
                  (folder / "a.mcap").string(), (folder / "out.json").string());
  ASSERT_EQ(std::system(command.c_str()), 0);
  const json answer = json::parse(bytes_of(folder / "out.json"));
  EXPECT_EQ(answer["count"], written.size());
  EXPECT_GT(answer["chunks"], 1);
  ASSERT_EQ(answer["messages"].size(), written.size());  // sorted by time, as they were written
  for (std::size_t i = 0; i < written.size(); ++i) {
    const json& message = answer["messages"][i];
    const Recorded found = {message["topic"], message["type"], std::stoull(message["time"].get<std::string>()),
                            from_hex(message["bytes"])};
    EXPECT_EQ(found, written[i]) << i;
    EXPECT_EQ(message["hash"], i % 2 == 0 ? msg::Clock::kType.hash : msg::LaserScan::kType.hash);
  }
}

TEST(McapTest, ReadsATornFileUpToTheTear) {
  const TemporaryFolder folder;
  const auto written = write_example(folder / "a.mcap");
  const std::string whole = bytes_of(folder / "a.mcap");
  std::size_t most = 0;
  for (std::size_t tenth = 1; tenth < 10; ++tenth) {
    folder.write("torn.mcap", whole.substr(0, whole.size() * tenth / 10));
    std::string tear;
    const auto found = messages_of(folder / "torn.mcap", &tear);
    EXPECT_TRUE(contains(tear, fmt::format("the file ends at byte {}", whole.size() * tenth / 10))) << tear;
    ASSERT_LE(found.size(), written.size());
    EXPECT_TRUE(std::equal(found.begin(), found.end(), written.begin()));
    EXPECT_GE(found.size(), most);
    most = found.size();
  }
  EXPECT_GT(most, 0U);
}

/// What one reading of a file gives, damaged or not.
struct Read {
  std::vector<std::string> topics;  // of its messages
  BagReading reading;
};

/// How many messages of a file of 54 are not in the chunk that begins at a byte.
std::size_t others_than(const std::filesystem::path& file, std::uint64_t chunk) {
  std::size_t others = 0, all = 0;
  read_mcap(file, [&](const BagMessage& m) { ++all, others += m.record == chunk ? 0 : 1; });
  EXPECT_EQ(all, 54U);
  EXPECT_LT(others, all);
  return others;
}

Read read(const std::filesystem::path& file) {
  Read found;
  found.reading = read_mcap(file, [&](const BagMessage& m) { found.topics.push_back(m.topic.name); });
  return found;
}

TEST(McapTest, PassesOverADamagedChunkOfEveryKind) {
  const TemporaryFolder folder;
  for (const auto& [name, chunk] : {std::pair("none", 9973), {"zstd", 7147}, {"lz4", 8208}}) {
    const auto whole = fmt::format("{}/tests/io/bag/answers_{}.mcap", FATHOM_SOURCE_DIR, name);
    std::string bytes = bytes_of(whole);
    bytes[static_cast<std::size_t>(chunk) + 500] = static_cast<char>(~bytes[static_cast<std::size_t>(chunk) + 500]);
    folder.write("bad.mcap", bytes);
    const Read found = read(folder / "bad.mcap");
    EXPECT_EQ(found.topics.size(), others_than(whole, static_cast<std::uint64_t>(chunk))) << name;
    EXPECT_EQ(found.reading.damaged, 1U);
    EXPECT_TRUE(contains(found.reading.damage, fmt::format("record at byte {}: a chunk is damaged", chunk)))
        << found.reading.damage;
    EXPECT_EQ(found.reading.tear, "");
    EXPECT_EQ(found.reading.notes().size(), 1U);
  }
}

/// Its channels are in the summary, too, and so the other chunks are read.
TEST(McapTest, TheFirstChunkMayBeTheDamagedOne) {
  const TemporaryFolder folder;
  const auto written = write_example(folder / "a.mcap");
  std::string bytes = bytes_of(folder / "a.mcap");
  bytes[3000] = static_cast<char>(~bytes[3000]);
  folder.write("bad.mcap", bytes);
  const Read found = read(folder / "bad.mcap");
  EXPECT_EQ(found.reading.damaged, 1U);
  EXPECT_GT(found.topics.size(), 10U);
  EXPECT_LT(found.topics.size(), written.size());
  EXPECT_EQ(found.reading.topics.size(), 2U);
}

/// The summary says where the next chunk begins.
TEST(McapTest, GoesOnBehindARecordWhoseLengthIsDamaged) {
  const TemporaryFolder folder;
  std::string bytes = bytes_of(FATHOM_SOURCE_DIR "/tests/io/bag/answers_zstd.mcap");
  bytes[7147 + 7] = '\x7f';  // the chunk at 7147 has 2^55 bytes
  folder.write("bad.mcap", bytes);
  const Read found = read(folder / "bad.mcap");
  EXPECT_EQ(found.topics.size(), others_than(FATHOM_SOURCE_DIR "/tests/io/bag/answers_zstd.mcap", 7147));
  EXPECT_EQ(found.reading.damage, "record at byte 7147: it has no sound length");
  EXPECT_EQ(found.reading.tear, "");
}

TEST(McapTest, RefusesWhatIsDamagedEverywhere) {
  const TemporaryFolder folder;
  write_example(folder / "a.mcap", 3);
  std::string bytes = bytes_of(folder / "a.mcap");
  const std::size_t chunk = bytes.find("zstd");
  bytes[chunk + 40] = static_cast<char>(~bytes[chunk + 40]);
  folder.write("bad.mcap", bytes);
  const std::string text = message_of<InputError>([&] { messages_of(folder / "bad.mcap"); });
  EXPECT_TRUE(contains(text, "bad.mcap: record at byte")) << text;
  EXPECT_TRUE(contains(text, "damaged")) << text;
}

/// Records for files that no recorder here writes.
class McapFiles : public testing::Test {
 protected:
  static std::string schema() {
    std::string out;
    mcap::Record().number(std::uint16_t{1}).text("a/msg/B").text("ros2msg").text("").append_to(out, mcap::Op::kSchema);
    return out;
  }
  static std::string channel(std::uint16_t id, const std::string& topic, const std::string& encoding = "cdr") {
    std::string out;
    mcap::Record()
        .number(id)
        .number(std::uint16_t{1})
        .text(topic)
        .text(encoding)
        .text("")
        .append_to(out, mcap::Op::kChannel);
    return out;
  }
  static std::string message(std::uint16_t id, const std::string& bytes = "0123456789") {
    std::string out;
    mcap::Record()
        .number(id)
        .number(std::uint32_t{0})
        .number(std::uint64_t{5})
        .number(std::uint64_t{5})
        .raw(bytes)
        .append_to(out, mcap::Op::kMessage);
    return out;
  }
  static std::string chunk(const std::string& compression, const std::string& packed, std::uint64_t size) {
    std::string out;
    mcap::Record()
        .number(std::uint64_t{0})
        .number(std::uint64_t{9})
        .number(size)
        .number(std::uint32_t{0})
        .text(compression)
        .number(std::uint64_t{packed.size()})
        .raw(packed)
        .append_to(out, mcap::Op::kChunk);
    return out;
  }
  static std::string end() {
    std::string out;
    mcap::Record().number(std::uint32_t{0}).append_to(out, mcap::Op::kDataEnd);
    return out;
  }
  static std::string zstd(const std::string& bytes) {
    std::string out(ZSTD_compressBound(bytes.size()), '\0');
    out.resize(ZSTD_compress(out.data(), out.size(), bytes.data(), bytes.size(), 3));
    return out;
  }
  static std::string lz4(const std::string& bytes) {
    std::string out(LZ4F_compressFrameBound(bytes.size(), nullptr), '\0');
    out.resize(LZ4F_compressFrame(out.data(), out.size(), bytes.data(), bytes.size(), nullptr));
    return out;
  }
  Read read_bytes(const std::string& records) {
    folder_.write("a.mcap", std::string(mcap::kMagic) + records);
    return read(folder_ / "a.mcap");
  }
  static constexpr std::size_t kMessages = 2000;
  static std::string many() {
    std::string records = schema() + channel(1, "/a");
    for (std::size_t i = 0; i < kMessages; ++i)
      records += message(1, std::to_string(i * i * 7919) + std::string(300, 'x'));
    return records;
  }

  const TemporaryFolder folder_;
};

TEST_F(McapFiles, ChunksMayHaveSeveralFramesAndPadding) {
  const std::string all = many(), skipped("\x52\x2a\x4d\x18\x05\0\0\0hello", 13);
  const std::string a = all.substr(0, all.size() / 3), b = all.substr(all.size() / 3);
  for (const auto& [name, pack] : {std::pair("zstd", &McapFiles::zstd), {"lz4", &McapFiles::lz4}}) {
    for (const std::string& packed :
         {pack(a) + pack(b), pack(a) + skipped + pack(b), skipped + pack(all), pack(all) + skipped,
          pack(a) + pack("") + pack(b), pack(all) + std::string(100, '\0'), pack(all) + "padding that is no frame"}) {
      const Read found = read_bytes(chunk(name, packed, all.size()) + end());
      EXPECT_EQ(found.topics.size(), kMessages) << name;
      EXPECT_TRUE(found.reading.notes().empty());
    }
    for (const std::string& packed : {pack(a), pack(all) + pack(b), pack(all).substr(0, 700)}) {
      const std::uint64_t size = all.size() + (packed.size() > pack(all).size() ? 1 : 0);
      const std::string bag = chunk(name, packed, size) + end();
      EXPECT_TRUE(contains(message_of<InputError>([&] { read_bytes(bag); }),
                           fmt::format("a chunk does not have the {} bytes that it says", size)));
    }
  }
}

/// A recorder that fills in sizes when it closes a chunk, and one that died while it wrote a chunk.
TEST_F(McapFiles, AnUnclosedLastChunkIsReadAsFarAsItGoes) {
  const std::string all = many();
  for (const auto& [name, packed] :
       {std::pair<std::string, std::string>("", all), {"zstd", zstd(all)}, {"lz4", lz4(all)}}) {
    for (const bool is_filled_in : {false, true}) {
      std::string open = chunk(name, packed, all.size());
      const std::string unknown(8, '\xff');
      if (!is_filled_in) {
        open.replace(1, 8, unknown);
        open.replace(9 + 16, 8, unknown);
        open.replace(9 + 16 + 8 + 4 + 4 + name.size(), 8, unknown);
      }
      const std::string first = schema() + channel(2, "/b") + message(2);
      std::size_t least = 0;
      for (const std::size_t cut : {packed.size() - packed.size() / 4, packed.size() / 8, std::size_t{2}}) {
        const Read found = read_bytes(first + open.substr(0, open.size() - cut));
        EXPECT_GE(found.topics.size(), least) << name;
        EXPECT_TRUE(contains(found.reading.tear, "inside the record that begins at byte")) << found.reading.tear;
        EXPECT_EQ(found.reading.damaged, 0U) << found.reading.damage;
        least = found.topics.size();
      }
      EXPECT_GT(least, kMessages / 2) << name;
    }
  }
}

TEST_F(McapFiles, ZerosBehindATearAreNoDamageOfWhatStandsBefore) {
  const std::string all = many(), first = schema() + channel(2, "/b") + message(2) + message(2);
  for (const std::size_t zeros : {std::size_t{1}, std::size_t{8}, std::size_t{9}, std::size_t{70'000}}) {
    const Read found = read_bytes(first + std::string(zeros, '\0'));
    EXPECT_EQ(found.topics.size(), 2U);
    EXPECT_TRUE(contains(found.reading.tear, "the file ends at byte")) << found.reading.tear;
    EXPECT_EQ(found.reading.damaged, 0U);
  }
  for (const auto& [name, packed] :
       {std::pair<std::string, std::string>("", all), {"zstd", zstd(all)}, {"lz4", lz4(all)}}) {
    const std::string whole = chunk(name, packed, all.size());
    const Read found = read_bytes(first + whole.substr(0, whole.size() - 300) + std::string(70'000, '\0'));
    EXPECT_GE(found.topics.size(), 2U);
    EXPECT_FALSE(found.reading.notes().empty());
    if (name.empty()) {
      EXPECT_GT(found.topics.size(), kMessages / 2);
    }
  }
}

TEST_F(McapFiles, TopicsWithoutMessagesAndOtherEncodingsAreNamed) {
  const Read found = read_bytes(schema() + channel(1, "/a") + channel(2, "/b", "ros1") + message(1) + end());
  const std::set<BagTopic> wanted = {{"/a", "a/msg/B", "cdr"}, {"/b", "a/msg/B", "ros1"}};
  EXPECT_EQ(found.reading.topics, wanted);
  EXPECT_EQ(found.topics.size(), 1U);
}

TEST_F(McapFiles, DamagedMessagesAreCounted) {
  std::string cut;
  mcap::Record().number(std::uint16_t{1}).append_to(cut, mcap::Op::kMessage);
  const Read found = read_bytes(schema() + channel(1, "/a") + message(1) + message(7) + cut + message(1) + end());
  EXPECT_EQ(found.topics.size(), 2U);
  EXPECT_EQ(found.reading.damaged, 2U);
  EXPECT_TRUE(contains(found.reading.damage, "a message is of channel 7, which is not there")) << found.reading.damage;
  const std::string named =
      schema() + channel(1, std::string(1'000'000, 'x')) + channel(2, "/b") + message(1) + message(2);
  const BagReading reading = read_bytes(named + end()).reading;
  EXPECT_EQ(reading.damaged, 2U);
  EXPECT_LT(reading.notes()[0].size(), 1000U);
}

/// 64 GiB that memory does not hold: a file with a hole.
TEST_F(McapFiles, AttachmentsAreNotRead) {
  constexpr std::uint64_t kSize = std::uint64_t{1} << 36;
  std::string head = std::string(mcap::kMagic) + schema() + channel(1, "/a") + message(1) + '\x09';
  head.append(reinterpret_cast<const char*>(&kSize), sizeof(kSize));
  folder_.write("a.mcap", head);
  std::error_code error;
  std::filesystem::resize_file(folder_ / "a.mcap", head.size() + kSize, error);
  if (error) GTEST_SKIP() << "this file system has no files with holes: " << error.message();
  std::ofstream(folder_ / "a.mcap", std::ios::binary | std::ios::app) << message(1) + end();
  const Read found = read(folder_ / "a.mcap");
  EXPECT_EQ(found.topics.size(), 2U);
  EXPECT_TRUE(found.reading.notes().empty());
}

TEST_F(McapFiles, BombsAreRefused) {
  const std::string zeros(std::size_t{64} << 20, '\0');
  const std::string packed = zstd(zeros);
  std::string bomb = schema() + channel(1, "/a") + message(1);
  bomb += chunk("zstd", packed, std::uint64_t{1} << 30);
  const BagReading one = read_bytes(bomb + end()).reading;
  EXPECT_EQ(one.damaged, 1U);
  EXPECT_TRUE(contains(one.damage, "a chunk of 1073741824 bytes packed into")) << one.damage;
  std::string many_chunks = schema() + channel(1, "/a");
  std::string records;
  mcap::Record().append_to(records, mcap::Op::kMessageIndex, zeros.size());
  records += zeros;
  const std::string packed_records = zstd(records);
  for (int i = 0; i < 17; ++i) many_chunks += chunk("zstd", packed_records, records.size());
  EXPECT_TRUE(contains(message_of<InputError>([&] { read_bytes(many_chunks + end()); }),
                       "a.mcap: the chunks hold more than 1073741824 bytes"));
}

TEST_F(McapFiles, AsManyTopicsAsChannelsAreRead) {
  std::string records = schema();
  for (int i = 0; i < 70'000; ++i) records += channel(1, "/" + std::to_string(i));
  EXPECT_TRUE(
      contains(message_of<InputError>([&] { read_bytes(records + end()); }), "a.mcap: has more than 65535 topics"));
}

TEST(McapTest, RefusesWhatIsNoMcap) {
  const TemporaryFolder folder;
  folder.write("a.mcap", "#ROSBAG V2.0\n");
  EXPECT_TRUE(contains(message_of<InputError>([&] { messages_of(folder / "a.mcap"); }), "this is no MCAP file"));
}

RC_GTEST_PROP(McapTest, AnyChangedBytesAreReadOrRefusedInOneLine, ()) {
  const TemporaryFolder folder;
  const auto* name = *rc::gen::element("none", "zstd", "lz4");
  std::string bytes = bytes_of(fmt::format("{}/tests/io/bag/answers_{}.mcap", FATHOM_SOURCE_DIR, name));
  for (int i = 0; i < 3; ++i) bytes[*rc::gen::inRange<std::size_t>(0, bytes.size())] = *rc::gen::arbitrary<char>();
  bytes.resize(*rc::gen::inRange<std::size_t>(1, bytes.size() + 1));
  folder.write("a.mcap", bytes);
  try {
    read_mcap(folder / "a.mcap", [](const BagMessage&) {});
  } catch (const InputError& error) {
    RC_ASSERT(std::string(error.what()).find('\n') == std::string::npos);
    RC_ASSERT(contains(error.what(), "a.mcap: "));
  }
}

}  // namespace
}  // namespace fathom::test
