// SPDX-License-Identifier: MIT
#include <exception>
#include <new>
#include <type_traits>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <sdf/sdf.hh>

#include <fathom/base/error.hpp>

#include "base/text.hpp"
#include "base/with_prefix.hpp"
#include "world/sdf/sdf_pieces.hpp"
#include "world/sdf/sdf_preparation.hpp"
#include "world/sdf/sdf_quiet.hpp"
#include "world/sdf/sdf_walk.hpp"
#include "world/sdf_module.hpp"

namespace fathom {

namespace {

/// The first of many errors, which name what they failed at from the inside out, and what the console told before.
std::string text_of_errors(const sdf::Errors& errors, const SdfQuiet& quiet) {
  std::string told = quiet.first_error();
  if (told.find("URDF") != std::string::npos) told.clear();  // it tries that when all else has failed
  const auto path = errors.front().XmlPath();
  return fmt::format("{}{}{}", path ? *path + ": " : "", told.empty() ? "" : told + " ", errors.front().Message());
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
