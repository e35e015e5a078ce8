#pragma once

#include <filesystem>
#include <string>

namespace fathom {

/// All bytes of a file, inflated where it is gzip. Throws InputError when it is missing, unreadable or, naming the line
/// up to which it could be inflated, cut short.
std::string read_gzip_text(const std::filesystem::path& file);

}  // namespace fathom
