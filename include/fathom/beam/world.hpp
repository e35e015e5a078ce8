// SPDX-License-Identifier: MIT
#pragma once
// The world that a sensor stands in, as far as the beam model knows it: a map or a scene, and what they say it should
// measure.

#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fathom/base/compute.hpp>
#include <fathom/base/export.hpp>
#include <fathom/beam/grid_ranges.hpp>
#include <fathom/scene/grid_map.hpp>

namespace fathom {

class Scene;
struct SceneRangesOptions;
struct SceneSetup;

/// Expected ranges, with the floor and cell size that belong to them. A value: copies share the ranges, which never
/// change. Every function that takes ExpectedRanges takes a World too.
class World {
 public:
  static constexpr double kMostHeightM = 1000.0;  ///< of a planar sensor in a scene, above and below its x-y plane

  /// Expected ranges of your own. Throws InputError for null.
  FATHOM_API explicit World(std::shared_ptr<const ExpectedRanges> expected, std::string name = "");

  /// A map_server YAML file with its image. Throws InputError naming file and line, and for an instruction set that
  /// this computer lacks.
  FATHOM_API static World from_map(const std::filesystem::path& yaml_file, const GridCasterOptions& options = {});
  FATHOM_API static World from_map(const GridMap& map, const GridCasterOptions& options = {});
  /// A scene as it stands at options.stamp_s. `unknown`: see unknown(). Throws InputError for invalid options.
  FATHOM_API static World from_scene(const Scene& scene, const SceneRangesOptions& options,
                                     UnknownCells unknown = UnknownCells::kFree);
  /// The scene of a scene file, for a planar sensor at this height above its x-y plane. Throws InputError for a height
  /// beyond kMostHeightM.
  FATHOM_API static World from_scene(const SceneSetup& setup, double height_m,
                                     UnknownCells unknown = UnknownCells::kFree, const Compute& compute = {});

  [[nodiscard]] const ExpectedRanges& expected() const& { return *expected_; }
  const ExpectedRanges& expected() const&& = delete;              // it would not outlive the call
  operator const ExpectedRanges&() const& { return *expected_; }  // NOLINT(google-explicit-constructor)
  operator const ExpectedRanges&() const&& = delete;

  [[nodiscard]] double floor_m() const { return expected_->floor_m(); }  ///< see ExpectedRanges
  [[nodiscard]] double cell_m() const { return expected_->cell_m(); }
  /// What rays do in the unknown cells of a map. A scene has none, but a model that is learned in it may be used with a
  /// map later, and fit_log() notes it there.
  [[nodiscard]] UnknownCells unknown() const { return unknown_; }
  /// The map without its cells; no rows and columns: there is no map.
  [[nodiscard]] const GridMap& outline() const { return outline_; }
  [[nodiscard]] const std::string& name() const { return name_; }  ///< for people: "office.yaml"; may be empty
  /// Every file that was opened for it.
  [[nodiscard]] const std::vector<std::filesystem::path>& inputs() const { return inputs_; }
  /// What these files hold and fathom does not read, and their likely slips: a line each.
  [[nodiscard]] const std::vector<std::string>& notes() const { return notes_; }

 private:
  std::shared_ptr<const ExpectedRanges> expected_;
  UnknownCells unknown_ = UnknownCells::kFree;
  GridMap outline_;
  std::string name_;
  std::vector<std::filesystem::path> inputs_;
  std::vector<std::string> notes_;
};

}  // namespace fathom
