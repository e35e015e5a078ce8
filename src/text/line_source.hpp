// SPDX-License-Identifier: MIT
#pragma once
// The lines of a text file one after the other, of which memory holds no more than a piece and a line.

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

#include "text/gzip_text.hpp"

namespace fathom {

class LineSource {
 public:
  explicit LineSource(const std::filesystem::path& file, std::size_t most_inflated_bytes = kMaxInflatedBytes)
      : pieces_(file, most_inflated_bytes) {}

  /// The next line without its end (\n or \r\n), which is valid until the next call; false at the end of the file.
  /// Throws as TextPieces does, and half a line of a damaged file is none.
  bool next(std::string_view& line);
  [[nodiscard]] std::size_t number() const { return number_; }  ///< of the last line, from 1
  [[nodiscard]] bool has_end() const { return has_end_; }       ///< whether the last line had its end

 private:
  void cut_at(std::string_view& line) {
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    ++number_;
  }

  TextPieces pieces_;
  std::string_view piece_;  ///< what of it was not read yet
  std::string carried_;     ///< the begin of a line, from pieces before
  std::size_t number_ = 0;
  bool has_end_ = true;
};

}  // namespace fathom
