// SPDX-License-Identifier: MIT
#include "dataset/pack_entry.hpp"

#include <array>
#include <cerrno>
#include <charconv>
#include <fcntl.h>
#include <fstream>
#include <system_error>
#include <unistd.h>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <fathom/base/error.hpp>

#include "dataset/digest.hpp"
#include "dataset/read_bytes.hpp"

namespace fathom {

namespace {

constexpr std::string_view kRemoved = "0000000000000000";
constexpr std::size_t kDigestSize = 16, kCheckSize = 8;

std::string check_of(std::string_view text) { return digest_of(text).substr(kDigestSize - kCheckSize); }

/// The words of a line, which are separated by one blank; nothing when there are not as many.
template <std::size_t N>
std::optional<std::array<std::string_view, N>> words_of(std::string_view line) {
  std::array<std::string_view, N> words;
  for (std::size_t i = 0; i < N; ++i) {
    const std::size_t end = line.find(' ');
    if ((end == std::string_view::npos) != (i + 1 == N)) return {};
    words[i] = line.substr(0, end);
    line.remove_prefix(i + 1 == N ? line.size() : end + 1);
  }
  return words;
}

bool parse_decimal(std::string_view text, std::uint64_t& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

/// Whether the last line was torn, by a full disk or a loss of power: it must not take the next one with it.
bool ends_torn(int descriptor) {
  const off_t end = lseek(descriptor, 0, SEEK_END);
  char last = '\n';
  return end > 0 && pread(descriptor, &last, 1, end - 1) == 1 && last != '\n';
}

void append_line(const std::filesystem::path& file, const std::string& line) {
  const auto fail = [&file] {
    throw SystemError(fmt::format("{}: cannot be written: {}", file.string(), std::generic_category().message(errno)));
  };
  constexpr int kFlags = O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC;
  int descriptor = open(file.c_str(), kFlags, 0666);
  if (descriptor < 0 && errno == ENOENT) {
    std::error_code error;
    std::filesystem::create_directories(file.parent_path(), error);
    descriptor = open(file.c_str(), kFlags, 0666);
  }
  if (descriptor < 0) fail();
  const std::string text = ends_torn(descriptor) ? "\n" + line : line;
  const ssize_t written = write(descriptor, text.data(), text.size());
  const int reason = errno;
  close(descriptor);
  errno = written < 0 ? reason : ENOSPC;
  if (written != static_cast<ssize_t>(text.size())) fail();
}

}  // namespace

std::string entry_line(const PackEntry& entry) {
  std::string line =
      fmt::format("{:09} {} {} {} {}", entry.index, entry.digest, entry.content, entry.files, entry.bytes);
  return line + " " + check_of(line) + "\n";
}

std::optional<PackEntry> parse_entry(std::string_view line) {
  const auto words = words_of<6>(line);
  if (!words || line.size() <= kCheckSize || check_of(line.substr(0, line.size() - kCheckSize - 1)) != (*words)[5]) {
    return {};
  }
  PackEntry entry;
  if (!parse_decimal((*words)[0], entry.index) || !parse_decimal((*words)[3], entry.files) ||
      !parse_decimal((*words)[4], entry.bytes)) {
    return {};
  }
  entry.digest = (*words)[1];
  entry.content = (*words)[2];
  return entry;
}

std::filesystem::path part_file(std::uint64_t index) {
  return fmt::format("{}/{:03}/{:03}.txt", kManifestFolder, index / 1'000'000, index / kPacksPerPart % 1000);
}

PartEntries read_part(const std::filesystem::path& file) {
  PartEntries entries;
  const std::optional<std::string> text = read_bytes(file);
  for (std::string_view rest = text ? *text : std::string_view(); !rest.empty();) {
    const std::size_t end = rest.find('\n');
    if (end == std::string_view::npos) break;  // being written, or torn
    if (const auto entry = parse_entry(rest.substr(0, end))) entries[entry->index] = *entry;
    rest.remove_prefix(end + 1);
  }
  std::erase_if(entries, [](const auto& entry) { return entry.second.digest == kRemoved; });
  return entries;
}

void append_entry(const std::filesystem::path& dataset, const PackEntry& entry) {
  append_line(dataset / part_file(entry.index), entry_line(entry));
}

void append_removal(const std::filesystem::path& dataset, std::uint64_t index) {
  append_entry(dataset, {.index = index, .digest = std::string(kRemoved), .content = std::string(kRemoved)});
}

std::optional<PackEntry> read_unit_json(const std::filesystem::path& folder, std::uint64_t index) {
  const std::optional<std::string> text = read_bytes(folder / kUnitJson);
  if (!text) return {};
  const auto json = nlohmann::json::parse(*text, nullptr, false);
  try {
    PackEntry entry{.index = index, .digest = json.at("digest").get<std::string>(), .content = digest_of(*text)};
    for (const auto& file : json.at("files")) {
      ++entry.files;
      entry.bytes += file.at("bytes").get<std::uint64_t>();
    }
    if (entry.digest.size() != kDigestSize || json.at("unit").get<std::uint64_t>() != index) return {};
    return entry;
  } catch (const nlohmann::json::exception&) {
    return {};
  }
}

std::optional<PackEntry> read_entry(const std::filesystem::path& dataset, const PackPlaces& places,
                                    std::uint64_t index) {
  if (places.is_folder()) return read_unit_json(dataset / places(index), index);
  const PartEntries entries = read_part(dataset / part_file(index));
  const auto found = entries.find(index);
  return found == entries.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace fathom
