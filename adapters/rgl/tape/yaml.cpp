// SPDX-License-Identifier: MIT
#include <charconv>
#include <cstdint>

#include <fmt/format.h>

#include "status.hpp"
#include "tape/player.hpp"

namespace rgl {

namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }
bool is_flow_mark(char c) { return std::string_view(",[]{}").find(c) != std::string_view::npos; }

void append_utf8(std::string& out, std::uint32_t code) {
  const auto put = [&](std::uint32_t byte) { out += static_cast<char>(byte); };
  const auto follow = [&](int shift) { put(0x80U | (code >> shift & 0x3fU)); };
  if (code < 0x80) return put(code);
  if (code < 0x800) return put(0xc0U | code >> 6U), follow(0);
  if (code < 0x10000) return put(0xe0U | code >> 12U), follow(6), follow(0);
  put(0xf0U | code >> 18U), follow(12), follow(6), follow(0);
}

class Reader {
 public:
  Reader(std::string_view text, YamlEvents& events) : text_(text), events_(events) {
    if (text_.starts_with(kByteOrderMark)) text_.remove_prefix(kByteOrderMark.size());
  }

  void read() {
    check_characters();
    skip();
    if (is_separator("---")) at_ += 3, skip();
    if (is_end()) return;
    block_node(-1, false);
    skip();
    if (!is_end()) fail_at(line_, "this is not where the list goes on");
  }

 private:
  void check_characters() const {
    int line = 1;
    for (const char c : text_) {
      if (c == '\n') ++line;
      const auto byte = static_cast<unsigned char>(c);
      if (byte < 0x20 && c != '\n' && !is_blank(c)) fail_at(line, fmt::format("the control character {:#04x}", byte));
    }
  }

  [[nodiscard]] char here(std::size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\n';
  }
  /// Whether a blank, a line or the text ends there.
  [[nodiscard]] bool ends_word(std::size_t place) const {
    return place >= text_.size() || text_[place] == '\n' || is_blank(text_[place]);
  }
  [[nodiscard]] bool is_mark(char mark) const { return here() == mark && ends_word(at_ + 1); }
  [[nodiscard]] int column() const { return static_cast<int>(at_ - begin_); }
  [[nodiscard]] bool is_separator(std::string_view mark) const {
    return column() == 0 && text_.substr(at_).starts_with(mark) && ends_word(at_ + mark.size());
  }
  [[nodiscard]] bool is_end() const { return at_ >= text_.size() || is_separator("---") || is_separator("..."); }
  [[nodiscard]] bool is_comment(std::size_t place) const {
    return text_[place] == '#' && (place == 0 || text_[place - 1] == '\n' || is_blank(text_[place - 1]));
  }

  /// Skips blanks, comments and ends of lines.
  void skip() {
    for (; at_ < text_.size(); ++at_) {
      if (is_comment(at_)) {
        while (at_ + 1 < text_.size() && text_[at_ + 1] != '\n') ++at_;
      } else if (text_[at_] == '\n') {
        ++line_, begin_ = at_ + 1;
      } else if (!is_blank(text_[at_])) {
        return;
      }
    }
  }

  /// Reads a value that begins to the right of the column `parent`. A list below a key may begin at this column.
  void block_node(int parent, bool below_key) {
    const int line = line_;
    skip();
    const int indent = column();
    const bool may_be_block = !below_key || line_ != line;
    if (!is_end() && is_mark('-') && (indent > parent || (below_key && indent == parent))) {
      if (!may_be_block) fail_at(line_, "a list begins on a new line");
      return block_list(indent);
    }
    if (is_end() || indent <= parent) return events_.on_scalar(line, "");
    if (here() == '[' || here() == '{') return flow_node();
    if (is_mark('?')) {
      events_.on_map(line_), ++at_, block_node(indent, false);
      fail_at(line_, "a key after '?', which no tape holds");
    }
    const int at_line = line_;
    const std::string text = scalar(false);
    if (!is_key()) return events_.on_scalar(at_line, text);
    if (!may_be_block) fail_at(at_line, "a map begins on a new line");
    block_map(indent, text);
  }

  void block_list(int indent) {
    events_.on_list(line_);
    while (!is_end() && column() == indent && is_mark('-')) {
      ++at_;
      block_node(indent, false);
      skip();
    }
    events_.on_list_end();
  }

  void block_map(int indent, std::string key) {
    events_.on_map(line_);
    for (;;) {
      events_.on_scalar(line_, key);
      ++at_;  // the colon
      block_node(indent, true);
      skip();
      if (is_end() || column() != indent || is_mark('-')) break;
      key = scalar(false);
      if (!is_key()) fail_at(line_, fmt::format("'{}' is no key: a colon and a blank are missing", key));
    }
    events_.on_map_end();
  }

  [[nodiscard]] bool is_key() {
    while (is_blank(here())) ++at_;
    return here() == ':';
  }

  void flow_node() {
    if (here() == '[') return flow_list();
    if (here() == '{') return flow_map();
    const int line = line_;
    events_.on_scalar(line, scalar(true));
  }

  void flow_list() {
    events_.on_list(line_);
    for (step(); here() != ']'; separate(']')) flow_node();
    ++at_;
    events_.on_list_end();
  }

  void flow_map() {
    events_.on_map(line_);
    for (step(); here() != '}'; separate('}')) {
      events_.on_scalar(line_, scalar(true));
      skip_in_flow();
      if (here() != ':') fail_at(line_, "a key without a colon");
      step();
      flow_node();
    }
    ++at_;
    events_.on_map_end();
  }

  void skip_in_flow() {
    skip();
    if (at_ >= text_.size()) fail_at(line_, "a bracket is not closed");
  }
  /// Skips a bracket, a comma or a colon, up to the next text.
  void step() { ++at_, skip_in_flow(); }
  /// After a value: skips a comma, or stops at the closing bracket.
  void separate(char close) {
    skip_in_flow();
    if (here() == close) return;
    if (here() != ',') fail_at(line_, fmt::format("',' or '{}' is missing", close));
    step();
  }

  /// Reads a text of one line.
  std::string scalar(bool in_flow) {
    if (here() == '"') return quoted();
    if (here() == '\'') return single_quoted();
    if (std::string_view("&*!").find(here()) != std::string_view::npos) {
      fail_at(line_, "an anchor, an alias or a tag, which no tape holds");
    }
    if (is_flow_mark(here()) || is_mark('-') || is_mark('?') ||
        std::string_view("|>@`%#").find(here()) != std::string_view::npos) {
      fail_at(line_, fmt::format("a text cannot begin with '{}'", here()));
    }
    const std::size_t begin = at_;
    while (at_ < text_.size() && !ends_plain(in_flow)) ++at_;
    std::size_t end = at_;
    while (end > begin && is_blank(text_[end - 1])) --end;
    const std::string_view found = text_.substr(begin, end - begin);
    if (found.empty()) fail_at(line_, fmt::format("'{}' is no value", here()));
    return found == "~" || found == "null" ? std::string() : std::string(found);
  }
  [[nodiscard]] bool ends_plain(bool in_flow) const {
    const char c = here();
    if (c == '\n' || is_comment(at_)) return true;
    if (c == ':') return ends_word(at_ + 1) || (in_flow && is_flow_mark(here(1)));
    return in_flow && is_flow_mark(c);
  }

  char next_of_quoted() {
    if (here() == '\n') fail_at(line_, "a quote is not closed on its line");
    return text_[at_++];
  }

  std::string single_quoted() {
    std::string out;
    for (++at_;;) {
      const char c = next_of_quoted();
      if (c == '\'' && here() != '\'') return out;
      if (c == '\'') ++at_;
      out += c;
    }
  }

  std::string quoted() {
    std::string out;
    for (++at_;;) {
      const char c = next_of_quoted();
      if (c == '"') return out;
      if (c == '\\') {
        append_escape(out);
      } else {
        out += c;
      }
    }
  }

  void append_escape(std::string& out) {
    constexpr std::string_view kLetters = "0abtnvfre\"/\\ ";
    constexpr std::string_view kMeanings("\0\a\b\t\n\v\f\r\x1b\"/\\ ", 13);
    const char c = next_of_quoted();
    if (const std::size_t i = kLetters.find(c); i != std::string_view::npos) {
      out += kMeanings[i];
      return;
    }
    const std::size_t digits = c == 'x' ? 2 : c == 'u' ? 4 : c == 'U' ? 8 : 0;
    const std::string_view hex = text_.substr(at_, digits);
    std::uint32_t code = 0;
    const auto [end, error] = std::from_chars(hex.data(), hex.data() + hex.size(), code, 16);
    const bool is_surrogate = code >= 0xd800 && code < 0xe000;
    if (error != std::errc() || hex.size() < digits || end != hex.data() + digits || is_surrogate || code > 0x10ffff) {
      fail_at(line_, fmt::format("'\\{}' is no escape", c));
    }
    at_ += digits;
    append_utf8(out, code);
  }

  std::string_view text_;
  YamlEvents& events_;
  std::size_t at_ = 0, begin_ = 0;  ///< the next character, and the begin of its line
  int line_ = 1;
};

}  // namespace

void fail_at(int line, std::string_view what) {
  fail(RGL_TAPE_ERROR, fmt::format("Invalid Tape: line {}: {}", line, what));
}

void read_yaml(std::string_view text, YamlEvents& events) { Reader(text, events).read(); }

}  // namespace rgl
