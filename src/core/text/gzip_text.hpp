// SPDX-License-Identifier: MIT
#pragma once
// Text files piece by piece and line by line, inflated if they are gzip.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <limits>
#include <memory>
#include <string>
#include <string_view>

namespace fathom {

/// Limits against files made to exhaust memory.
inline constexpr std::size_t kMaxLineBytes = std::size_t{16} << 20U;
inline constexpr std::size_t kMaxInflatedBytes = std::size_t{4} << 30U;
inline constexpr std::size_t kMaxInflation = 200;  ///< ratio to the file, above kFreeInflatedBytes
inline constexpr std::size_t kFreeInflatedBytes = std::size_t{256} << 20U;
inline constexpr std::size_t kNoLimit = std::numeric_limits<std::size_t>::max();

inline constexpr std::string_view kGzipMagic = "\x1f\x8b";

/// The text of a file piece by piece, without a byte order mark. Gzip may have several streams, and zeros may follow.
/// Throws InputError if the file is unreadable, above the limits, in UTF-16 or has lines that end in one CR. If gzip is
/// cut short, damaged or followed by other bytes, the message names the last readable line.
class TextPieces {
 public:
  explicit TextPieces(std::filesystem::path file, std::size_t most_inflated_bytes = kMaxInflatedBytes);
  TextPieces(const TextPieces&) = delete;
  TextPieces& operator=(const TextPieces&) = delete;
  ~TextPieces();

  /// The next bytes, at least one, valid until the next call; false at the end.
  bool next(std::string_view& piece);
  [[nodiscard]] std::uint64_t file_bytes() const { return file_bytes_; }
  [[nodiscard]] bool is_packed() const { return inflater_ != nullptr; }

 private:
  class Inflater;
  [[noreturn]] void fail(const std::string& what) const;
  [[noreturn]] void fail_at_line(const std::string& what) const;
  bool refill();
  bool read_begin(std::string_view& piece);
  bool read_some(std::string_view& piece);
  bool inflate_some(std::string_view& piece);
  void begin_member();
  void check_inflated() const;
  void check_lines(std::string_view piece);

  std::filesystem::path file_;
  std::size_t most_inflated_bytes_;
  std::ifstream in_;
  std::uint64_t file_bytes_ = 0, left_bytes_ = 0;  ///< size of the file; bytes still to be read
  std::string room_, begin_;
  std::string_view raw_;  ///< bytes of the file that are read and not used yet
  std::unique_ptr<Inflater> inflater_;
  bool begun_ = false, ended_ = false;
  std::size_t inflated_ = 0;
  std::size_t lines_ = 0, line_bytes_ = 0;   ///< ended lines; bytes of the next line
  std::size_t text_ = 0, first_return_ = 0;  ///< bytes so far; bytes before the first CR of the first line
  bool has_return_ = false;
};

/// The whole text. Throws as TextPieces does, and SystemError if memory does not suffice.
std::string read_gzip_text(const std::filesystem::path& file);

/// The lines of a text file. Memory holds one piece and one line.
class LineSource {
 public:
  explicit LineSource(const std::filesystem::path& file, std::size_t most_inflated_bytes = kMaxInflatedBytes)
      : pieces_(file, most_inflated_bytes) {}

  /// The next line without its end (\n or \r\n), valid until the next call; false at the end of the file. Throws as
  /// TextPieces does; omits half a line of a damaged file.
  bool next(std::string_view& line);
  [[nodiscard]] std::size_t number() const { return number_; }  ///< of the last line, from 1
  [[nodiscard]] bool has_end() const { return has_end_; }       ///< whether the last line had an end

 private:
  void cut_at(std::string_view& line) {
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    ++number_;
  }

  TextPieces pieces_;
  std::string_view piece_;  ///< the unread part of the piece
  std::string carried_;     ///< the begin of a line, from earlier pieces
  std::size_t number_ = 0;
  bool has_end_ = true;
};

}  // namespace fathom
