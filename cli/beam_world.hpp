#pragma once
// What the beam commands share: the world that says what a beam should measure, and the log of what it did.

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fathom/beam/model_file.hpp>
#include <fathom/beam/scan.hpp>
#include <fathom/error.hpp>
#include <fathom/expected_ranges.hpp>

namespace fathom_cli {

/// `--map M.yaml`, or `--scene S.yaml --height H`. Neither: empty.
struct BeamWorldOptions {
  std::filesystem::path map, scene;
  double height_m = 0.3;  ///< of the sensor in the scene: a log is planar
};

struct BeamWorld {
  std::unique_ptr<fathom::ExpectedRanges> expected;
  double cell_m = 0.0;  ///< of a map; 0 of a scene
  std::string name;
  std::vector<std::filesystem::path> inputs = {};  ///< what else was read for a scene: meshes, maps, trajectories
};

/// The scene where there is one, else the map. Throws fathom::InputError.
BeamWorld open_world(const BeamWorldOptions& options, fathom::UnknownCells unknown, int threads);

/// The log itself, or that of the only logging sensor of a run of `fathom simulate`. Throws fathom::InputError.
std::filesystem::path find_log(const std::filesystem::path& log_or_run);

/// f(); what it throws as fathom::InputError gets the name of the file in front.
template <class F>
auto naming(const std::filesystem::path& file, F f) -> decltype(f()) {
  try {
    return f();
  } catch (const fathom::InputError& error) {
    throw fathom::InputError(file.string() + ": " + error.what());
  }
}

/// f(); in what it throws as fathom::InputError the names of the library become options as they are typed.
template <class F>
auto as_typed(std::initializer_list<std::pair<std::string_view, std::string_view>> names, F f) -> decltype(f()) {
  try {
    return f();
  } catch (const fathom::InputError& error) {
    std::string text = error.what();
    for (const auto& [inner, typed] : names) {
      if (const auto at = text.find(inner); at != std::string::npos) text.replace(at, inner.size(), typed);
    }
    throw fathom::InputError(text);
  }
}

/// A line for every kind of laser whose readings the log has and fathom does not read; empty where there is none.
std::string skipped_note(const fathom::ScanLog& log);

/// As fathom::select_scans; messages name the log.
std::vector<std::uint32_t> choose_scans(const std::string& text, const fathom::ScanLog& log,
                                        const std::filesystem::path& file);

/// The files that the world is read from, as far as its options name them.
std::vector<std::filesystem::path> world_files(const BeamWorldOptions& options);

/// The value of an enum from its word, which the parser has checked.
template <class Enum>
Enum value_of_word(const std::string& word) {
  const auto& words = fathom::kChoiceWords<Enum>;
  return static_cast<Enum>(std::find(words.begin(), words.end(), word) - words.begin());
}

}  // namespace fathom_cli
