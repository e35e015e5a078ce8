// SPDX-License-Identifier: MIT
#include "world/robot_files.hpp"

#include <system_error>

#include <fmt/format.h>

#include <fathom/base/error.hpp>

#include "text/read_file.hpp"

namespace fathom {

namespace {

bool is_there(const std::filesystem::path& path) {
  std::error_code error;
  return std::filesystem::exists(path, error);
}

}  // namespace

std::filesystem::path RobotFiles::find_in_package(std::string_view uri, std::string_view path,
                                                  const std::filesystem::path& file) const {
  const std::size_t slash = path.find('/');
  const std::string name(path.substr(0, slash));
  const std::string rest(slash == std::string_view::npos ? "" : path.substr(slash + 1));
  if (name.empty()) throw InputError(fmt::format("'{}' names no package", uri));
  std::vector<std::filesystem::path> folders;  // that the package may be
  if (const auto known = options_.packages.find(name); known != options_.packages.end()) {
    folders.push_back(known->second);
  } else {
    for (const std::filesystem::path& folder : options_.search_paths) folders.push_back(folder / name);
    std::error_code error;
    const std::filesystem::path own = std::filesystem::absolute(file, error).lexically_normal();
    for (std::filesystem::path up = own.parent_path(); !up.empty(); up = up.parent_path()) {
      if (up.filename() == name) folders.push_back(up);
      folders.push_back(up / name);
      if (up == up.parent_path()) break;
    }
  }
  const std::filesystem::path* first = nullptr;
  for (const std::filesystem::path& folder : folders) {
    if (!is_there(folder)) continue;
    if (rest.empty()) return folder;
    if (is_there(folder / rest)) return folder / rest;
    if (first == nullptr) first = &folder;
  }
  if (first != nullptr) throw InputError(fmt::format("'{}': no such file: {}", uri, (*first / rest).string()));
  throw InputError(
      fmt::format("'{}': the package '{}' is not found; say where it is (packages, search_paths)", uri, name));
}

std::filesystem::path RobotFiles::find(std::string_view uri, const std::filesystem::path& file) const {
  if (uri.empty()) throw InputError("names no file");
  for (const std::string_view scheme : {"package://", "model://"}) {
    if (uri.starts_with(scheme)) return find_in_package(uri, uri.substr(scheme.size()), file);
  }
  std::string_view path = uri;
  if (constexpr std::string_view kFile = "file://"; path.starts_with(kFile)) {
    path.remove_prefix(kFile.size());
  } else if (path.find("://") != std::string_view::npos) {
    throw InputError(fmt::format("'{}' is no file of this computer; fetch it and name the copy", uri));
  }
  std::filesystem::path found = file.parent_path() / path;
  if (!is_there(found)) throw InputError(fmt::format("'{}': no such file: {}", uri, found.string()));
  return found;
}

std::string RobotFiles::read(const std::filesystem::path& file) {
  require_readable_file(file);
  std::error_code error;
  const std::uintmax_t size = std::filesystem::file_size(file, error);
  if (error || size > kMostRobotBytes - bytes_) {
    throw InputError(
        fmt::format("{}: the files of a robot or world have more than {} bytes", file.string(), kMostRobotBytes));
  }
  opened_.push_back(file);
  std::string bytes = read_file(file);
  if (bytes.size() > kMostRobotBytes - bytes_) {
    throw InputError(fmt::format("{}: the file grows while it is read", file.string()));
  }
  bytes_ += bytes.size();
  return bytes;
}

namespace {

/// Without the folders above, so that summaries of runs do not depend on where their files lie.
std::string short_name(const std::filesystem::path& file) {
  const std::filesystem::path name = file.filename();
  return name == "model.sdf" ? (file.parent_path().filename() / name).string() : name.string();
}

}  // namespace

std::optional<std::string> NotRead::note(const std::filesystem::path& file) const {
  constexpr std::size_t kMostItems = 20;
  std::vector<std::string> items;
  for (const auto& [element, count] : elements_) items.push_back(fmt::format("{} <{}>", count, element));
  items.insert(items.end(), others_.begin(), others_.end());
  if (items.empty()) return std::nullopt;
  std::string text = fmt::format("{}: not read: ", short_name(file));
  for (std::size_t i = 0; i < items.size() && i < kMostItems; ++i) text += (i == 0 ? "" : ", ") + items[i];
  if (items.size() > kMostItems) text += fmt::format(", and {} more", items.size() - kMostItems);
  return text;
}

}  // namespace fathom
