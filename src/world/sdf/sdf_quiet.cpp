// SPDX-License-Identifier: MIT
#include "world/sdf/sdf_quiet.hpp"

#include <iostream>
#include <string_view>

#include <sdf/Console.hh>

#include "base/text.hpp"

namespace fathom {

namespace {

/// The console complains when it is made, before anyone can give it another stream: of a home that is not there.
sdf::ConsolePtr make_console() {
  std::ostringstream away;
  std::streambuf* const before = std::cerr.rdbuf(away.rdbuf());
  sdf::ConsolePtr console = sdf::Console::Instance();
  std::cerr.rdbuf(before);
  return console;
}

sdf::Console& console() {
  static const sdf::ConsolePtr instance = make_console();
  return *instance;
}

}  // namespace

SdfQuiet::SdfQuiet() : before_(console().GetMsgStream().GetStream()) { console().GetMsgStream().SetStream(&text_); }

SdfQuiet::~SdfQuiet() { console().GetMsgStream().SetStream(before_); }

std::string SdfQuiet::first_error() const {
  const std::string text = text_.str();
  constexpr std::string_view kError = "Error [", kColourOff = "\x1b[0m";
  const std::size_t begin = text.find(kError);
  if (begin == std::string::npos) return {};
  const std::size_t from = text.find(kColourOff, begin);
  if (from == std::string::npos) return {};
  const std::size_t to = text.find('\n', from);
  return one_line(
      text.substr(from + kColourOff.size() + 1, to == std::string::npos ? to : to - from - kColourOff.size() - 1));
}

}  // namespace fathom
