// SPDX-License-Identifier: MIT
#include "world/read_robot.hpp"

#include <cstddef>
#include <dlfcn.h>
#include <mutex>
#include <string>
#include <utility>

#include <fmt/format.h>

#include <fathom/base/error.hpp>
#include <fathom/files/robot.hpp>

#include "base/errors.hpp"
#include "base/text.hpp"
#include "text/files.hpp"

namespace fathom {

#ifdef FATHOM_SDF

namespace {

/// The folder of the library or program that holds this function; null if unknown.
const std::filesystem::path* find_own_folder() noexcept {
  try {
    Dl_info own = {};
    if (dladdr(reinterpret_cast<const void*>(&find_own_folder), &own) == 0 || own.dli_fname == nullptr) return nullptr;
    std::filesystem::path file = own.dli_fname;
    if (!file.has_parent_path()) file = std::filesystem::read_symlink("/proc/self/exe");  // a program found by PATH
    return new std::filesystem::path(std::filesystem::canonical(file.parent_path()));
  } catch (...) {
    return nullptr;
  }
}

/// Found when the library is loaded, because its name may be relative and the working directory may change. Never
/// destroyed, because threads may use it while the process ends.
const std::filesystem::path* const own_folder = find_own_folder();

/// Beside the library. For a program in bin/ that contains the rooms: in lib/.
std::filesystem::path module_file() {
  // Without a folder, dlopen() would search the folders of the system.
  if (own_folder == nullptr) throw InputError("its reader " FATHOM_SDF_MODULE " is missing");
  std::filesystem::path file = *own_folder / FATHOM_SDF_MODULE;
  if (std::error_code error; !std::filesystem::exists(file, error)) {
    std::filesystem::path other = own_folder->parent_path() / "lib" / FATHOM_SDF_MODULE;
    if (std::filesystem::exists(other, error)) return other;
  }
  return file;
}

/// The module stays loaded, because libsdformat keeps objects of the whole process.
ReadSdf* load_module() {
  const std::filesystem::path file = module_file();
  void* const module = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  void* const function = module == nullptr ? nullptr : dlsym(module, kReadSdf);
  if (function != nullptr) return reinterpret_cast<ReadSdf*>(function);
  const char* const reason = dlerror();
  throw InputError(fmt::format("its reader cannot be loaded: {}", one_line(reason == nullptr ? "" : reason)));
}

}  // namespace

void read_sdf(XmlDocument& document, const std::filesystem::path& file, RobotFiles& files, Robot& robot) {
  const std::lock_guard lock(robot_library_mutex());
  static ReadSdf* const read = with_prefix([&] { return file.string() + ": is SDF"; }, &load_module);
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
  const auto word = [](RobotGeometry geometry) { return kRobotGeometryNames[static_cast<std::size_t>(geometry)]; };
  const bool visual = files.geometry() == RobotGeometry::kVisual;
  const auto other = word(visual ? RobotGeometry::kCollision : RobotGeometry::kVisual);
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
