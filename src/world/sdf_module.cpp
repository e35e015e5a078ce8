// SPDX-License-Identifier: MIT
#include "world/sdf_module.hpp"

#include <dlfcn.h>
#include <mutex>
#include <string>

#include <fmt/format.h>

#include <fathom/base/error.hpp>

#include "base/text.hpp"
#include "base/with_prefix.hpp"
#include "world/formats.hpp"
#include "world/quiet.hpp"

#ifdef FATHOM_SDF

namespace fathom {

namespace {

/// The folder of the library or program that this function is in. Null: it is not known.
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

/// Found when the library is loaded, because its name may be relative and the working directory may change. It is never
/// destroyed, since threads may use it while the process ends.
const std::filesystem::path* const own_folder = find_own_folder();

/// Beside the library or, of a program in bin/ that the rooms are linked into, in lib/.
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

/// It stays loaded: libsdformat keeps objects of the whole process.
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

}  // namespace fathom

#endif
