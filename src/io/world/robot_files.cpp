// SPDX-License-Identifier: MIT
#include "io/world/robot_files.hpp"

#include <algorithm>
#include <cstdint>
#include <system_error>

#include <fmt/format.h>

#include <fathom/core/error.hpp>

#include "core/text/files.hpp"
#include "core/text/text_lines.hpp"

namespace fathom {

namespace {

namespace fs = std::filesystem;

constexpr int kPackageDepth = 3;                     // of packages below a search path
constexpr std::size_t kMostFolders = 20'000;         // to search for packages
constexpr std::uintmax_t kMostManifest = 1U << 20U;  // bytes of a package.xml

bool is_there(const fs::path& path) {
  std::error_code error;
  return fs::exists(path, error);
}

bool is_package(const fs::path& folder) {
  return is_there(folder / "package.xml") || is_there(folder / "model.config");
}

/// The name in the package.xml of a folder; empty if absent or unreadable.
std::string manifest_name(const fs::path& folder) {
  const fs::path manifest = folder / "package.xml";
  std::error_code error;
  if (!fs::is_regular_file(manifest, error) || fs::file_size(manifest, error) > kMostManifest || error) return {};
  try {
    const std::string bytes = read_file(manifest);
    const XmlDocument document(bytes, manifest.string());
    return std::string(trim(text_of(document.root().child("name"))));
  } catch (const Error&) {
    return {};
  }
}

/// The innermost package around a file, else the file's folder.
fs::path home_of(const fs::path& file) {
  std::error_code error;
  fs::path own = fs::absolute(file, error).lexically_normal().parent_path();
  for (fs::path up = own; up != up.parent_path(); up = up.parent_path()) {
    if (is_package(up)) return up;
  }
  return own;
}

void name_packages(const fs::path& folder, std::map<std::string, fs::path>& named) {
  std::error_code error;
  std::size_t looked_at = 0;
  if (const std::string own = manifest_name(folder); !own.empty()) named.emplace(own, folder);
  for (fs::recursive_directory_iterator at(folder, fs::directory_options::skip_permission_denied, error), end;
       !error && at != end && looked_at < kMostFolders; at.increment(error)) {
    std::error_code none;
    if (!at->is_directory(none)) continue;
    ++looked_at;
    const std::string name = manifest_name(at->path());
    if (!name.empty()) named.emplace(name, at->path());
    if (!name.empty() || at.depth() + 1 >= kPackageDepth) at.disable_recursion_pending();
  }
}

/// The name without most folders, so that summaries of runs do not depend on them.
std::string short_name(const std::filesystem::path& file) {
  const std::filesystem::path name = file.filename();
  return name == "model.sdf" ? (file.parent_path().filename() / name).string() : name.string();
}

class TextWriter final : public pugi::xml_writer {
 public:
  void write(const void* data, std::size_t size) override { text.append(static_cast<const char*>(data), size); }
  std::string text;
};

bool is_among(std::string_view name, std::span<const std::string_view> names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

std::vector<fs::path> RobotFiles::readable_folders(const fs::path& file) const {
  std::vector<fs::path> folders = {home_of(file)};
  folders.insert(folders.end(), options_.search_paths.begin(), options_.search_paths.end());
  for (const auto& [name, folder] : options_.packages) folders.push_back(folder);
  return folders;
}

void RobotFiles::check_readable(std::string_view uri, const fs::path& found,
                                const std::vector<fs::path>& folders) const {
  if (confined(found, folders)) return;
  throw NotThere(
      fmt::format("'{}' leads out of {}; name a folder that holds it (search_paths)", uri, folders.front().string()));
}

/// The folders where a package of this name may be, in order of search.
std::vector<fs::path> RobotFiles::package_folders(const std::string& name, const fs::path& file) const {
  if (const auto known = options_.packages.find(name); known != options_.packages.end()) return {known->second};
  std::vector<fs::path> folders;
  for (const fs::path& folder : options_.search_paths) {
    folders.push_back(folder / name);
    if (fs::absolute(folder).lexically_normal().filename() == name) folders.push_back(folder);
  }
  if (!named_) {
    named_.emplace();
    for (const fs::path& folder : options_.search_paths) name_packages(folder, *named_);
  }
  if (const auto named = named_->find(name); named != named_->end()) folders.push_back(named->second);
  const fs::path home = home_of(file);
  if (home.filename() == name || manifest_name(home) == name) folders.push_back(home);
  std::error_code error;
  folders.push_back(fs::absolute(file, error).lexically_normal().parent_path() / name);
  folders.push_back(home / name);
  if (!is_package(home)) return folders;
  const fs::path beside = home.parent_path() / name;
  if (is_package(beside)) folders.push_back(beside);
  return folders;
}

fs::path RobotFiles::find_in_package(std::string_view uri, std::string_view path, const fs::path& file) const {
  const std::size_t slash = path.find('/');
  const std::string name(path.substr(0, slash));
  const fs::path rest = slash == std::string_view::npos ? fs::path() : fs::path(path.substr(slash + 1)).relative_path();
  const bool is_nothing = name.empty() && rest.empty();
  if (is_nothing || name == "." || name == "..") throw InputError(fmt::format("'{}' names no package", uri));
  // Exporters leave out a name that they do not know.
  const std::vector<fs::path> folders = name.empty() ? readable_folders(file) : package_folders(name, file);
  const fs::path* first = nullptr;
  for (const fs::path& folder : folders) {
    if (!is_there(folder)) continue;
    check_readable(uri, folder / rest, {folder});
    if (rest.empty()) return folder;
    if (is_there(folder / rest)) return folder / rest;
    if (first == nullptr) first = &folder;
  }
  if (first != nullptr) throw NotThere(fmt::format("'{}': no such file: {}", uri, (*first / rest).string()));
  throw NotThere(
      fmt::format("'{}': the package '{}' is not found; say where it is (packages, search_paths)", uri, name));
}

fs::path RobotFiles::find(std::string_view uri, const fs::path& file) const {
  if (uri.empty()) throw InputError("names no file");
  if (uri.find('\0') != std::string_view::npos) throw InputError("is not a file name");
  for (const std::string_view scheme : {"package://", "model://"}) {
    if (uri.starts_with(scheme)) return find_in_package(uri, uri.substr(scheme.size()), file);
  }
  std::string_view path = uri;
  if (constexpr std::string_view kFile = "file://"; path.starts_with(kFile)) {
    path.remove_prefix(kFile.size());
  } else if (path.find("://") != std::string_view::npos) {
    throw NotThere(fmt::format("'{}' is no file of this computer; fetch it and name the copy", uri));
  }
  fs::path found = file.parent_path() / path;
  check_readable(uri, found, readable_folders(file));
  if (!is_there(found)) throw NotThere(fmt::format("'{}': no such file: {}", uri, found.string()));
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

void prune(pugi::xml_node element, const KeptElements& elements, NotRead& not_read) {
  for (pugi::xml_node child = element.first_child(); !child.empty();) {
    const pugi::xml_node next = child.next_sibling();
    if (child.type() == pugi::node_element && !is_among(child.name(), elements.kept)) {
      if (!is_among(child.name(), elements.silent)) not_read.count(child.name());
      element.remove_child(child);
    }
    child = next;
  }
}

std::string described(pugi::xml_node element) {
  return fmt::format("{} '{}'", element.name(), element.attribute("name").value());
}

std::string xml_text(pugi::xml_node element) {
  TextWriter writer;
  element.print(writer, "", pugi::format_raw, pugi::encoding_utf8);
  return std::move(writer.text);
}

std::filesystem::path find_named(const XmlDocument& document, pugi::xml_node place, std::string_view uri,
                                 const RobotFiles& files, const std::filesystem::path& file) {
  try {
    return files.find(uri, file);
  } catch (const InputError& error) {
    document.fail(place, error.what());
  }
}

std::optional<std::filesystem::path> find_shape(const XmlDocument& document, pugi::xml_node place, std::string_view uri,
                                                RobotFiles& files, const std::filesystem::path& file) {
  try {
    return files.find(uri, file);
  } catch (const NotThere& error) {
    if (files.missing() == RobotFileOptions::MissingMeshes::kRefuse) document.fail(place, error.what());
    files.skipped().push_back(document.located(place, fmt::format("{}; it is left out", error.what())));
    return std::nullopt;
  } catch (const InputError& error) {
    document.fail(place, error.what());
  }
}

std::mutex& robot_library_mutex() {
  static std::mutex mutex;
  return mutex;
}

}  // namespace fathom
