// SPDX-License-Identifier: MIT
#include "text/read_file.hpp"

#include <cerrno>
#include <fstream>
#include <system_error>
#include <unistd.h>

#include <fmt/format.h>

#include <fathom/base/error.hpp>

namespace fathom {

void require_readable_file(const std::filesystem::path& file) {
  std::error_code error;
  const auto status = std::filesystem::status(file, error);
  const std::string name = file.string();
  if (status.type() == std::filesystem::file_type::not_found) throw InputError(fmt::format("{}: no such file", name));
  if (error) throw InputError(fmt::format("{}: cannot read: {}", name, error.message()));
  if (status.type() == std::filesystem::file_type::directory) {
    throw InputError(fmt::format("{}: is a folder, not a file", name));
  }
  if (status.type() != std::filesystem::file_type::regular) throw InputError(fmt::format("{}: is not a file", name));
  if (access(file.c_str(), R_OK) != 0) {
    throw InputError(fmt::format("{}: cannot read: {}", name, std::generic_category().message(errno)));
  }
  if (std::filesystem::file_size(file, error) == 0) throw InputError(fmt::format("{}: is empty", name));
}

void fail_memory(const std::filesystem::path& file, std::string_view lack) {
  throw SystemError(fmt::format("{}{}{}", file.string(), file.empty() ? "" : ": ", lack));
}

std::string read_file(const std::filesystem::path& file) {
  require_readable_file(file);
  std::ifstream in(file, std::ios::binary);
  std::string bytes;
  within_memory(file, [&] { bytes.resize(std::filesystem::file_size(file)); });
  if (!in.read(bytes.data(), static_cast<std::streamsize>(bytes.size()))) {
    throw InputError(fmt::format("{}: cannot read all of it", file.string()));
  }
  return bytes;
}

}  // namespace fathom
