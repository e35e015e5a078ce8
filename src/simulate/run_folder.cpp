#include "simulate/run_folder.hpp"

#include <fstream>
#include <set>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <fathom/error.hpp>

namespace fathom {

namespace {

namespace fs = std::filesystem;

/// Whether `file`, relative to the folder, stays inside it, links followed.
bool is_inside(const fs::path& folder, const fs::path& file) {
  if (file.empty() || file.is_absolute()) return false;
  std::error_code error;
  const fs::path root = fs::canonical(folder, error);
  if (error) return false;
  const fs::path parent = fs::weakly_canonical(folder / file.parent_path(), error);
  if (error || file.filename() == ".." || file.filename() == ".") return false;
  const fs::path relative = parent.lexically_relative(root);
  return !relative.empty() && *relative.begin() != "..";
}

/// The files that summary.json lists; none when there is no summary.
std::vector<fs::path> read_old_files(const fs::path& folder) {
  const fs::path summary = folder / kSummaryName;
  std::error_code error;
  if (!fs::exists(summary, error)) return {};
  std::ifstream stream(summary);
  const auto json = nlohmann::json::parse(stream, nullptr, false);
  if (!json.is_object() || !json.contains("fathom") || !json.contains("files") || !json["files"].is_array()) {
    throw InputError(fmt::format("{}: not written by fathom; nothing is replaced here", summary.string()));
  }
  std::vector<fs::path> files;
  for (const auto& entry : json["files"]) {
    const fs::path file = entry.is_string() ? fs::path(entry.get<std::string>()) : fs::path();
    if (!is_inside(folder, file)) {
      throw InputError(fmt::format("{}: files lists {}, which is not inside the folder; nothing is removed",
                                   summary.string(), entry.dump()));
    }
    files.push_back(file);
  }
  return files;
}

void check(const std::error_code& error, const char* what, const fs::path& path) {
  if (error) throw SystemError(fmt::format("{}: cannot {}: {}", path.string(), what, error.message()));
}

}  // namespace

RunFolder::RunFolder(fs::path out, bool force) : out_(std::move(out)) {
  if (out_.empty()) throw InputError("the output folder has no name");
  std::error_code error;
  const fs::file_status status = fs::symlink_status(out_, error);
  if (!fs::exists(status)) return;
  if (!force)
    throw InputError(
        fmt::format("{}: exists already; force (--force) replaces what an earlier run wrote", out_.string()));
  if (!fs::is_directory(out_, error)) throw InputError(fmt::format("{}: exists and is not a folder", out_.string()));
  old_files_ = read_old_files(out_);
}

void RunFolder::open(const std::vector<std::string>& subfolders) {
  remove_old_files();
  std::error_code error;
  fs::create_directories(out_, error);
  check(error, "be made", out_);
  for (const std::string& subfolder : subfolders) {
    fs::create_directories(out_ / subfolder, error);
    check(error, "be made", out_ / subfolder);
  }
}

void RunFolder::remove_old_files() const {
  std::error_code error;
  // The summary goes first: while it stands, it promises whole files.
  fs::remove(out_ / kSummaryName, error);
  if (error != std::errc::no_such_file_or_directory && error != std::errc::not_a_directory) {
    check(error, "be removed", out_ / kSummaryName);
  }
  std::set<fs::path> folders;
  for (const fs::path& file : old_files_) {
    fs::remove(out_ / file, error);
    check(error, "be removed", out_ / file);
    if (file.has_parent_path()) folders.insert(file.parent_path());
  }
  // A folder that holds something of the user's stays: remove() refuses it.
  for (const fs::path& folder : folders) fs::remove(out_ / folder, error);
}

}  // namespace fathom
