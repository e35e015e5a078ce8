// SPDX-License-Identifier: MIT
#include <cstdio>
#include <fstream>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <rapidcheck/gtest.h>

#include <fathom/base/error.hpp>

#include "bag/mcap_reader.hpp"
#include "bag/mcap_writer.hpp"
#include "message/clock.hpp"
#include "message/laser_scan.hpp"
#include "message/message.hpp"
#include "support/error_text.hpp"
#include "support/temporary_folder.hpp"

namespace fathom {
namespace {

using nlohmann::json;
using test::contains;
using test::message_of;

struct Recorded {
  std::string topic, type;
  std::uint64_t time_ns = 0;
  std::string bytes;

  bool operator==(const Recorded&) const = default;
};

std::vector<Recorded> messages_of(const std::filesystem::path& file, std::string* tear = nullptr) {
  std::vector<Recorded> found;
  const std::string torn = read_mcap(file, [&found](const BagMessage& message) {
    found.push_back({message.topic.name, message.topic.type, message.time_ns,
                     std::string(reinterpret_cast<const char*>(message.bytes.data()), message.bytes.size())});
    EXPECT_EQ(message.topic.encoding, "cdr");
  });
  if (tear != nullptr) *tear = torn;
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
  std::ifstream in(FATHOM_SOURCE_DIR "/tests/message/answers.json");
  const json answers = json::parse(in);
  std::vector<Recorded> expected;
  for (const json& answer : answers["messages"]) {
    const std::string name = answer["type"];
    std::string type = name;
    expected.push_back({"/" + name, type.insert(type.find('/'), "/msg"), expected.size() * 1'234'567'890ULL,
                        from_hex(answer["bytes"])});
  }
  std::string tear;
  const auto found = messages_of(fmt::format("{}/tests/bag/answers_{}.mcap", FATHOM_SOURCE_DIR, GetParam()), &tear);
  EXPECT_EQ(tear, "");
  ASSERT_EQ(expected.size(), 54U);
  EXPECT_EQ(found, expected);
}

INSTANTIATE_TEST_SUITE_P(Compressions, McapAnswersTest, testing::Values("none", "zstd", "lz4"));

TEST(McapTest, ReadsBackWhatItWrote) {
  const test::TemporaryFolder folder;
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
  const test::TemporaryFolder folder;
  const auto written = write_example(folder / "a.mcap");
  const std::string command =
      fmt::format("'{}' '{}/tests/bag/judge.mjs' '{}' '{}' > '{}'", FATHOM_NODE, FATHOM_SOURCE_DIR, FATHOM_NPM,
                  (folder / "a.mcap").string(), (folder / "out.json").string());
  ASSERT_EQ(std::system(command.c_str()), 0);
  const json answer = json::parse(test::bytes_of(folder / "out.json"));
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
  const test::TemporaryFolder folder;
  const auto written = write_example(folder / "a.mcap");
  const std::string whole = test::bytes_of(folder / "a.mcap");
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

TEST(McapTest, RefusesDamageByItsChecksum) {
  const test::TemporaryFolder folder;
  std::string bytes = test::bytes_of(FATHOM_SOURCE_DIR "/tests/bag/answers_none.mcap");
  bytes[bytes.size() / 4] = static_cast<char>(~bytes[bytes.size() / 4]);
  folder.write("bad.mcap", bytes);
  const std::string text = message_of<InputError>([&] { messages_of(folder / "bad.mcap"); });
  EXPECT_TRUE(contains(text, "bad.mcap: record at byte")) << text;
  EXPECT_TRUE(contains(text, "checksum is another")) << text;
}

TEST(McapTest, RefusesWhatIsNoMcap) {
  const test::TemporaryFolder folder;
  folder.write("a.mcap", "#ROSBAG V2.0\n");
  EXPECT_TRUE(contains(message_of<InputError>([&] { messages_of(folder / "a.mcap"); }), "this is no MCAP file"));
}

RC_GTEST_PROP(McapTest, AnyChangedBytesAreReadOrRefusedInOneLine, ()) {
  const test::TemporaryFolder folder;
  const auto* name = *rc::gen::element("none", "zstd", "lz4");
  std::string bytes = test::bytes_of(fmt::format("{}/tests/bag/answers_{}.mcap", FATHOM_SOURCE_DIR, name));
  for (int i = 0; i < 3; ++i) bytes[*rc::gen::inRange<std::size_t>(0, bytes.size())] = *rc::gen::arbitrary<char>();
  bytes.resize(*rc::gen::inRange<std::size_t>(1, bytes.size() + 1));
  folder.write("a.mcap", bytes);
  try {
    read_mcap(folder / "a.mcap", [](const BagMessage&) {});
  } catch (const InputError& error) {
    RC_ASSERT(std::string(error.what()).find('\n') == std::string::npos);
  }
}

}  // namespace
}  // namespace fathom
