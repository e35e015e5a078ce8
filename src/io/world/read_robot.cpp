// SPDX-License-Identifier: MIT
#include "io/world/read_robot.hpp"

#include <cstddef>
#include <mutex>
#include <string>
#include <utility>

#include <fmt/format.h>

#include <fathom/core/error.hpp>
#include <fathom/files/robot.hpp>

#include "core/errors.hpp"
#include "core/text/files.hpp"
#include "core/text/module.hpp"

namespace fathom {

#ifdef FATHOM_SDF

void read_sdf(XmlDocument& document, const std::filesystem::path& file, RobotFiles& files, Robot& robot) {
  const std::lock_guard lock(robot_library_mutex());
  static auto* const read =
      reinterpret_cast<ReadSdf*>(with_prefix([&] { return file.string() + ": is SDF"; },
                                             [] { return load_module_function("sdf", kReadSdf, "libsdformat-dev"); }));
  read(document, file, files, robot);
}

#endif

namespace {

[[noreturn]] [[maybe_unused]] void refuse_format(const std::filesystem::path& file, std::string_view format,
                                                 std::string_view library, std::string_view package) {
  throw InputError(fmt::format("{}: is {}, and {}", file.string(), format, missing_feature(library, package)));
}

void read_document(XmlDocument& document, const std::filesystem::path& file, [[maybe_unused]] RobotFiles& files,
                   [[maybe_unused]] Robot& robot) {
  const std::string_view root = document.root().name();
  if (root == "robot") {
#ifdef FATHOM_URDF
    return read_urdf(document, file, files, robot);
#else
    refuse_format(file, "URDF", "urdfdom", "liburdfdom-dev");
#endif
  }
  if (root == "sdf") {
#ifdef FATHOM_SDF
    return read_sdf(document, file, files, robot);
#else
    refuse_format(file, "SDF", "libsdformat", "libsdformat-dev");
#endif
  }
  if (root == "mujoco" || root == "mujocoinclude") document.fail(document.root(), "is MJCF (MuJoCo), not URDF or SDF");
  document.fail(document.root(), "is neither URDF (<robot>) nor SDF (<sdf>)");
}

/// Warns about a robot that is empty because it has only shapes of the other kind.
void note_other_shapes(const std::filesystem::path& file, const RobotFiles& files, Robot& robot) {
  if (!robot.meshes.empty() || files.other_links() == 0) return;
  const auto word = [](RobotFileOptions::Geometry geometry) {
    return kRobotGeometryNames[static_cast<std::size_t>(geometry)];
  };
  const bool visual = files.geometry() == RobotFileOptions::Geometry::kVisual;
  const auto other = word(visual ? RobotFileOptions::Geometry::kCollision : RobotFileOptions::Geometry::kVisual);
  robot.notes.push_back(fmt::format("{}: no link has a {} shape, and {} {} one for {}: give geometry: {}",
                                    file.filename().string(), word(files.geometry()), files.other_links(),
                                    files.other_links() == 1 ? "has" : "have", other, other));
}

}  // namespace

Robot read_robot(const std::filesystem::path& file, const RobotFileOptions& options) {
  return within_memory(file, [&] {
    RobotFiles files(options);
    const std::string bytes = files.read(file);
    XmlDocument document(bytes, file.string());
    Robot robot;
    read_document(document, file, files, robot);
    robot.files = std::move(files.opened());
    robot.notes.insert(robot.notes.end(), files.skipped().begin(), files.skipped().end());
    note_other_shapes(file, files, robot);
    with_prefix([&] { return file.string(); }, [&] { validate(robot); });
    return robot;
  });
}

}  // namespace fathom
