// SPDX-License-Identifier: MIT
#include "io/bag/read_bag.hpp"

#include <algorithm>
#include <fstream>
#include <string_view>
#include <system_error>

#include <fmt/format.h>

#include <fathom/core/error.hpp>

#include "core/text.hpp"
#include "core/text/files.hpp"
#include "core/text/gzip_text.hpp"
#include "io/bag/mcap_format.hpp"
#include "io/bag/mcap_writer.hpp"

namespace fathom {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kSqliteMagic("SQLite format 3\0", 16), kZstdMagic("\x28\xb5\x2f\xfd", 4);

/// rosbag2 can compress whole files: then no record is readable.
[[noreturn]] void fail_compressed(const fs::path& file, const char* program = "zstd") {
  throw InputError(fmt::format("{}: is compressed as a whole, and only bags are read; unpack it first: {} -d",
                               file.string(), program));
}

/// rosbag2 numbers the files of a folder: run_2.mcap comes before run_10.mcap.
bool is_before(const fs::path& a, const fs::path& b) {
  const std::string left = a.filename().string(), right = b.filename().string();
  return left.size() != right.size() ? left.size() < right.size() : left < right;
}

bool begins_with(const fs::path& file, std::string_view magic) {
  std::string begin(magic.size(), '\0');
  std::ifstream in(file, std::ios::binary);
  return in.read(begin.data(), static_cast<std::streamsize>(begin.size())) && begin == magic;
}

}  // namespace

std::vector<fs::path> bag_files(const fs::path& bag) {
  std::error_code error;
  if (!fs::is_directory(bag, error)) return {bag};
  std::vector<fs::path> files;
  for (const fs::directory_entry& entry : fs::directory_iterator(bag, error)) {
    const fs::path extension = entry.path().extension(), inner = entry.path().stem().extension();
    if (extension == ".zstd" && (inner == ".mcap" || inner == ".db3")) fail_compressed(entry.path());
    if (extension == ".mcap" || extension == ".db3") files.push_back(entry.path());
  }
  if (files.empty()) throw InputError(bag.string() + ": holds no bag, a file that ends in .mcap or .db3");
  std::sort(files.begin(), files.end(), is_before);
  return files;
}

std::string bag_format(const fs::path& bag) {
  const fs::path file = bag_files(bag).front();
  require_readable_file(file);
  if (begins_with(file, mcap::kMagic)) return "MCAP";
  if (begins_with(file, kSqliteMagic)) return "sqlite3";
  if (begins_with(file, kZstdMagic)) fail_compressed(file);
  if (begins_with(file, kGzipMagic)) fail_compressed(file, "gzip");
  if (begins_with(file, "#ROSBAG"))
    throw InputError(file.string() + ": this is a bag of ROS 1; rosbags-convert makes one of ROS 2");
  throw InputError(file.string() + ": this is no bag: neither MCAP nor a .db3 of rosbag2");
}

BagReading read_bag(const fs::path& bag, const OnBagMessage& on_message) {
  BagReading all;
  for (const fs::path& file : bag_files(bag)) {
    const BagReading one = bag_format(file) == "MCAP" ? read_mcap(file, on_message) : read_sqlite_bag(file, on_message);
    for (const BagTopic& topic : one.topics) all.add_topic(topic);
    if (all.tear.empty() && !one.tear.empty()) all.tear = file.string() + ": " + one.tear;
    if (one.damaged > 0) all.add_damage(file.string() + ": " + one.damage, one.damaged);
  }
  return all;
}

void check_topic(const BagTopic& topic) {
  const std::size_t size = topic.name.size() + topic.type.size() + topic.encoding.size();
  if (size <= kMostTopicText) return;
  throw InputError(
      fmt::format("name, type and encoding of a topic have {} bytes, the limit is {}", size, kMostTopicText));
}

std::string BagMessage::place() const { return file.string() + ": " + printable(topic.name); }

void BagReading::add_topic(const BagTopic& topic) {
  if (topics.size() >= kMostBagTopics && !topics.contains(topic)) {
    throw InputError(fmt::format("has more than {} topics", kMostBagTopics));
  }
  topics.insert(topic);
}

void BagReading::add_damage(std::string_view what, std::uint64_t count) {
  if (damaged == 0) damage = one_line(what);
  damaged += count;
}

std::vector<std::string> BagReading::notes() const {
  std::vector<std::string> notes;
  if (!tear.empty()) notes.push_back(tear + "; what stands before is read");
  if (damaged > 0) {
    notes.push_back(
        fmt::format("{} {} damaged and left out, the first: {}", counted(damaged, "part"), are(damaged), damage));
  }
  return notes;
}

}  // namespace fathom
