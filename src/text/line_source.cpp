// SPDX-License-Identifier: MIT
#include "text/line_source.hpp"

namespace fathom {

bool LineSource::next(std::string_view& line) {
  carried_.clear();
  while (true) {
    const std::size_t end = piece_.find('\n');
    if (end != std::string_view::npos) {
      line = piece_.substr(0, end);
      piece_.remove_prefix(end + 1);
      if (!carried_.empty()) line = carried_ += line;
      cut_at(line);
      return true;
    }
    carried_ += piece_;
    piece_ = {};
    if (pieces_.next(piece_)) continue;
    if (carried_.empty()) return false;
    line = carried_;
    has_end_ = false;
    cut_at(line);
    return true;
  }
}

}  // namespace fathom
