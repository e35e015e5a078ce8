#include "tape/reader.hpp"

#include <array>
#include <charconv>
#include <string_view>

#include <fmt/format.h>

#include "status.hpp"

namespace rgl {

namespace {

/// A word of the text: a scalar, or one of the marks : - , [ ] { }.
struct Token {
  std::string text;
  bool is_mark;
  bool is_end = false;
};

bool is_mark(char c) { return std::string_view(":,[]{}").find(c) != std::string_view::npos; }
bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

class Tokens {
 public:
  explicit Tokens(std::string_view text) : rest_(text) {}

  Token next() {
    skip_blanks();
    if (rest_.empty()) return {"", false, true};
    const char c = rest_.front();
    if (is_mark(c)) return take_mark();
    if (c == '-' && (rest_.size() == 1 || is_space(rest_[1]))) return take_mark();
    if (c == '"' || c == '\'') return take_quoted(c);
    std::size_t end = 0;
    while (end < rest_.size() && !is_space(rest_[end]) && !is_mark(rest_[end])) ++end;
    return take(end, false);
  }

 private:
  void skip_blanks() {
    for (;;) {
      while (!rest_.empty() && is_space(rest_.front())) rest_.remove_prefix(1);
      const bool comment = !rest_.empty() && rest_.front() == '#';
      const bool mark = rest_.starts_with("---") || rest_.starts_with("...");
      if (!comment && !mark) return;
      rest_.remove_prefix(std::min(rest_.find('\n'), rest_.size()));
    }
  }
  Token take(std::size_t size, bool mark) {
    Token token{std::string(rest_.substr(0, size)), mark};
    rest_.remove_prefix(size);
    return token;
  }
  Token take_mark() { return take(1, true); }
  Token take_quoted(char quote) {
    Token token{"", false};
    rest_.remove_prefix(1);
    while (!rest_.empty() && rest_.front() != quote) {
      if (quote == '"' && rest_.front() == '\\' && rest_.size() > 1) rest_.remove_prefix(1);
      token.text += rest_.front();
      rest_.remove_prefix(1);
    }
    if (rest_.empty()) fail(RGL_TAPE_ERROR, "Invalid Tape: a quote is not closed");
    rest_.remove_prefix(1);
    return token;
  }

  std::string_view rest_;
};

template <class T>
T number(const std::string& text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) {
    fail(RGL_TAPE_ERROR, fmt::format("Invalid Tape: '{}' is no number", text));
  }
  return value;
}

/// A scalar before a colon is a key: a function, `t` or `a`; every other scalar belongs to the last key.
std::vector<TapeCall> read_calls(const std::string& text) {
  std::vector<TapeCall> calls;
  Tokens tokens(text);
  std::string key;
  for (Token token = tokens.next(); !token.is_end;) {
    Token after = tokens.next();
    if (!token.is_mark && after.is_mark && after.text == ":") {
      key = token.text;
      if (key != "t" && key != "a") calls.push_back({key, 0, {}});
    } else if (!token.is_mark) {
      if (calls.empty() || (key != "t" && key != "a")) {
        fail(RGL_TAPE_ERROR, fmt::format("Invalid Tape: '{}' belongs to no call", token.text));
      }
      if (key == "t") calls.back().time_ns = number<std::int64_t>(token.text);
      if (key == "a") calls.back().arguments.push_back(token.text);
    }
    token = std::move(after);
  }
  return calls;
}

void check_version(const std::vector<TapeCall>& calls) {
  constexpr std::string_view kVersionCall = "rgl_get_version_info";
  for (const TapeCall& call : calls) {
    if (call.function != kVersionCall || call.arguments.size() < 3) continue;
    const std::array<int, 3> version = {number<int>(call.arguments[0]), number<int>(call.arguments[1]),
                                        number<int>(call.arguments[2])};
    if (version >= std::array<int, 3>{0, 16, 3}) return;
    fail(RGL_TAPE_ERROR, "Unsupported Tape Format: Tape version is too old. Required version: 0.16.3.");
  }
  fail(RGL_TAPE_ERROR, "Unsupported Tape format: Missing version record in the Tape");
}

}  // namespace

std::vector<TapeCall> read_tape(const std::string& text) {
  std::vector<TapeCall> calls = read_calls(text);
  if (calls.empty()) fail(RGL_TAPE_ERROR, "Invalid Tape: Empty YAML file detected");
  check_version(calls);
  return calls;
}

}  // namespace rgl
