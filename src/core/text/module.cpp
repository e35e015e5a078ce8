// SPDX-License-Identifier: MIT
#include "core/text/module.hpp"

#include <dlfcn.h>
#include <filesystem>
#include <string>
#include <system_error>

#include <fmt/format.h>

#include <fathom/core/error.hpp>

#include "core/text.hpp"

namespace fathom {

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

std::filesystem::path module_file(const std::string& name, std::string_view packages) {
  // Without a folder, dlopen() would search the folders of the system.
  const std::filesystem::path own = own_folder == nullptr ? "" : *own_folder;
  for (const std::filesystem::path& folder : {own, own.parent_path() / "lib"}) {
    if (std::error_code error; own_folder != nullptr && std::filesystem::exists(folder / name, error))
      return folder / name;
  }
  throw InputError(fmt::format("the module {} is missing in '{}': install {} and build fathom; portable wheels lack it",
                               name, own.string(), packages));
}

}  // namespace

void* load_module_function(std::string_view module, const char* function, std::string_view packages) {
  const std::filesystem::path file = module_file(fmt::format("libfathom-{}-{}.so", module, FATHOM_VERSION), packages);
  void* const loaded = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  void* const found = loaded == nullptr ? nullptr : dlsym(loaded, function);
  if (found != nullptr) return found;
  const char* const reason = dlerror();
  throw InputError(fmt::format("the module cannot be loaded: {}", one_line(reason == nullptr ? "" : reason)));
}

}  // namespace fathom
