// SPDX-License-Identifier: MIT
#pragma once
// Modules: parts of the library that use libraries which start slowly. Each is a shared library
// libfathom-<name>-<version>.so, loaded when it is first needed, with its own copies of rooms.

#include <string_view>

namespace fathom {

/// A function of a module, which stays loaded. The module lies beside the library or, for a program in bin/ that
/// contains the rooms, in lib/. Throws InputError if it is missing or damaged. `packages`: of Debian, that its build
/// needs.
void* load_module_function(std::string_view module, const char* function, std::string_view packages);

}  // namespace fathom
