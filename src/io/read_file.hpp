#pragma once

#include <filesystem>
#include <string>

namespace fathom {

/// Throws InputError, in one line, unless `file` is a regular file that is not empty and may be read.
void require_readable_file(const std::filesystem::path& file);

/// All bytes of a file, checked as above. Throws InputError when it cannot be read, SystemError when there
/// is no memory for it.
std::string read_file(const std::filesystem::path& file);

}  // namespace fathom
