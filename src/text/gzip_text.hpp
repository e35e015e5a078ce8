// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <limits>
#include <memory>
#include <string>
#include <string_view>

namespace fathom {

/// Limits of text that is read whole, against files made to exhaust memory.
inline constexpr std::size_t kMaxLineBytes = std::size_t{16} << 20U;
inline constexpr std::size_t kMaxInflatedBytes = std::size_t{4} << 30U;
inline constexpr std::size_t kMaxInflation = 200;  ///< ratio to the file, above kFreeInflatedBytes
inline constexpr std::size_t kFreeInflatedBytes = std::size_t{256} << 20U;
inline constexpr std::size_t kNoLimit = std::numeric_limits<std::size_t>::max();

inline constexpr std::string_view kGzipMagic = "\x1f\x8b";

/// The text of a file piece by piece, without a byte order mark, inflated where it is gzip: one stream or several,
/// which zeros may follow, as tapes pad with them. What is wrong is thrown where the text comes to it: InputError when
/// the file is missing or unreadable, above the limits, UTF-16 or with lines that end in CR alone; naming the line up
/// to which it could be inflated, when it is cut short, damaged or followed by something else.
class TextPieces {
 public:
  /// `most_inflated_bytes`: of gzip.
  explicit TextPieces(std::filesystem::path file, std::size_t most_inflated_bytes = kMaxInflatedBytes);
  TextPieces(const TextPieces&) = delete;
  TextPieces& operator=(const TextPieces&) = delete;
  ~TextPieces();

  /// The next bytes, at least one, which are valid until the next call; false at the end.
  bool next(std::string_view& piece);
  /// Of the file.
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
  std::uint64_t file_bytes_ = 0, left_bytes_ = 0;  ///< of the file, and of it what was not read yet
  std::string room_, begin_;
  std::string_view raw_;  ///< of the file, what was read and not used yet
  std::unique_ptr<Inflater> inflater_;
  bool begun_ = false, ended_ = false;
  std::size_t inflated_ = 0;
  std::size_t lines_ = 0, line_bytes_ = 0;   ///< that ended, and bytes of the one after them
  std::size_t text_ = 0, first_return_ = 0;  ///< bytes so far, and before the first CR of the first line
  bool has_return_ = false;
};

/// All of it as one text. Throws as TextPieces does, and SystemError when there is no memory for it.
std::string read_gzip_text(const std::filesystem::path& file);

}  // namespace fathom
