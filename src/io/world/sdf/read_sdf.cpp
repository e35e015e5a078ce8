// SPDX-License-Identifier: MIT
#include <exception>
#include <iostream>
#include <new>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <sdf/Console.hh>
#include <sdf/sdf.hh>

#include <fathom/core/error.hpp>

#include "core/errors.hpp"
#include "core/text.hpp"
#include "io/world/read_robot.hpp"
#include "io/world/sdf/sdf_preparation.hpp"
#include "io/world/sdf/sdf_walk.hpp"

namespace fathom {

namespace {

/// The console complains about an absent home folder on construction, before it can get another stream.
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

/// The first error on the console and the first of `errors`, which is the innermost.
std::string text_of_errors(const sdf::Errors& errors, const SdfQuiet& quiet) {
  std::string printed = quiet.first_error();
  if (printed.find("URDF") != std::string::npos) printed.clear();  // libsdformat tries URDF after SDF has failed
  const auto path = errors.front().XmlPath();
  return fmt::format("{}{}{}", path ? *path + ": " : "", printed.empty() ? "" : printed + " ",
                     errors.front().Message());
}

void load(sdf::Root& root, const std::string& text, const SdfPreparation& preparation) {
  const SdfQuiet quiet;
  sdf::Errors errors;
  try {
    errors = root.LoadSdfString(text, sdf::ParserConfig());
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& error) {
    throw InputError(preparation.with_names(one_line(error.what())));
  }
  if (!errors.empty()) throw InputError(preparation.with_names(one_line(text_of_errors(errors, quiet))));
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

extern "C" [[gnu::visibility("default")]] void fathom_read_sdf(fathom::XmlDocument& document,
                                                               const std::filesystem::path& file,
                                                               fathom::RobotFiles& files, fathom::Robot& robot) {
  using namespace fathom;
  SdfPreparation preparation(files, robot.notes);
  preparation.prepare(document, file);
  const std::vector<SdfPiece> pieces = cut_sdf(document, preparation);
  with_prefix([&] { return file.string(); },
              [&] {
                const auto read = [&](sdf::Root& root, const std::string& text) { load(root, text, preparation); };
                walk_sdf(pieces, read, files, robot);
              });
}

static_assert(std::is_same_v<decltype(fathom_read_sdf), fathom::ReadSdf>);
