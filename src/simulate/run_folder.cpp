// SPDX-License-Identifier: MIT
#include "simulate/run_folder.hpp"

#include <algorithm>
#include <fstream>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <sys/stat.h>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <fathom/base/error.hpp>

#include "base/text.hpp"

namespace fathom {

namespace {

namespace fs = std::filesystem;

/// The files that summary.json lists; none when there is no summary.
std::vector<fs::path> read_summary(const fs::path& folder) {
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
    files.emplace_back(entry.is_string() ? entry.get<std::string>() : std::string());
    check_inside(folder, files.back(), summary);
  }
  return files;
}

void check(const std::error_code& error, const char* what, const fs::path& path) {
  if (error) throw SystemError(fmt::format("{}: cannot {}: {}", path.string(), what, error.message()));
}

/// Whether the folder holds nothing, or nothing but the record of this run.
bool is_free(const fs::path& folder) {
  std::error_code error;
  fs::directory_iterator entries(folder, error);
  check(error, "be read", folder);
  return std::all_of(begin(entries), end(entries), [](const auto& e) { return e.path().filename() == kRecordName; });
}

/// A link would lead the run into a folder that is not its own.
void check_subfolders(const fs::path& out, const std::vector<PlannedFolder>& plan) {
  for (const PlannedFolder& folder : plan) {
    std::error_code error;
    const fs::file_status status = fs::symlink_status(out / folder.name, error);
    if (!fs::exists(status) || fs::is_directory(status)) continue;
    throw InputError(fmt::format("{}: is {}, not a folder; the files of '{}' go there", (out / folder.name).string(),
                                 fs::is_symlink(status) ? "a link" : "a file", folder.name));
  }
}

fs::path real_path(const fs::path& path) {
  std::error_code error;
  const fs::path found = fs::weakly_canonical(fs::absolute(path, error), error);
  return error ? path : found.has_filename() ? found : found.parent_path();
}

bool is_same(const fs::path& a, const fs::path& b) {
  std::error_code error;
  return lower_case(a.string()) == lower_case(b.string()) || fs::equivalent(a, b, error);
}

/// The way from a folder down to a path, both canonical: "." for the folder itself, nothing for a path outside.
std::optional<fs::path> way_down(const fs::path& folder, const fs::path& path) {
  fs::path at = path;
  while (!is_same(at, folder)) {
    if (!at.has_relative_path()) return std::nullopt;
    at = at.parent_path();
  }
  return path.lexically_relative(at);
}

}  // namespace

RunFolder::RunFolder(fs::path out, bool force) : out_(std::move(out)), force_(force) {
  if (out_.empty()) throw InputError("the output folder has no name");
  std::error_code error;
  const fs::file_status status = fs::symlink_status(out_, error);
  if (error == std::errc::filename_too_long || error == std::errc::too_many_symbolic_link_levels) {
    throw InputError(
        fmt::format("the output folder (--out) cannot be called {}: {}", one_line(out_.string()), error.message()));
  }
  if (!fs::exists(status)) return;
  if (!fs::is_directory(out_, error)) throw InputError(fmt::format("{}: exists and is not a folder", out_.string()));
  if (!force && (!is_free(out_) || fs::exists(out_ / kRecordName, error))) throw_taken(out_);
}

void RunFolder::open(const std::vector<PlannedFolder>& plan, std::uint32_t frames,
                     const std::vector<fs::path>& inputs) {
  check_subfolders(out_, plan);
  std::error_code error;
  fs::create_directories(out_, error);
  check(error, "be made", out_);
  record_ = std::make_unique<RunRecord>(out_, force_);
  std::vector<fs::path> old;
  try {
    if (!force_ && !is_free(out_)) throw_taken(out_);    // another run has come and gone since we looked
    refuse_inputs({kSummaryName, kRecordName}, inputs);  // before they are read as lists of ours
    old = old_files();
    const std::vector<fs::path> planned = find_planned(out_, plan, frames);
    std::vector<fs::path> touched = old;
    touched.insert(touched.end(), planned.begin(), planned.end());
    refuse_inputs(touched, inputs);
    // A file that no run has listed is the user's.
    const std::set<fs::path> ours(old.begin(), old.end());
    for (const fs::path& entry : planned) {
      if (ours.contains(entry)) continue;
      throw InputError(fmt::format("{}: is there already, and not listed by an earlier run; it is not replaced",
                                   (out_ / entry).string()));
    }
  } catch (const InputError&) {
    record_->give_up();
    throw;
  }
  remove(old);
  record_->replace(plan, frames);
  for (const PlannedFolder& folder : plan) {
    fs::create_directories(out_ / folder.name, error);
    check(error, "be made", out_ / folder.name);
  }
}

void RunFolder::refuse_own(const fs::path& file, const std::vector<PlannedFolder>& plan, std::uint32_t frames) const {
  const fs::path own = real_path(out_), other = real_path(file);
  const auto name = way_down(own, other);
  const std::string list = name ? lower_case(name->string()) : "";
  const bool is_own = list == kSummaryName || list == kRecordName || (name && is_planned(*name, plan, frames));
  if (!is_own && !way_down(other, own)) return;
  throw InputError(
      fmt::format("{}: the run writes this itself, in {}; give the bag another name", file.string(), out_.string()));
}

void RunFolder::refuse_inputs(const std::vector<fs::path>& files, const std::vector<fs::path>& inputs) const {
  std::map<std::pair<dev_t, ino_t>, fs::path> input_at;
  struct stat there = {};  // a file that is not there is not another one
  for (const fs::path& input : inputs) {
    if (stat(input.c_str(), &there) == 0) input_at.emplace(std::pair(there.st_dev, there.st_ino), input);
  }
  for (const fs::path& file : files) {
    if (stat((out_ / file).c_str(), &there) != 0) continue;
    const auto input = input_at.find({there.st_dev, there.st_ino});
    if (input == input_at.end()) continue;
    throw InputError(fmt::format("{}: is an input too ({}); give another output folder (--out)", (out_ / file).string(),
                                 input->second.string()));
  }
}

/// Relative to the folder; what both lists hold is there twice.
std::vector<fs::path> RunFolder::old_files() const {
  std::vector<fs::path> files = read_summary(out_);
  const std::vector<fs::path> unfinished = read_record(out_);
  files.insert(files.end(), unfinished.begin(), unfinished.end());
  for (fs::path& file : files) file = file.lexically_normal();
  return files;
}

/// The record knows all files before the first is removed: a run that dies here leaves no file unlisted.
void RunFolder::remove(const std::vector<fs::path>& files) {
  if (!files.empty()) record_->add(files);
  std::error_code error;
  // The summary goes first: while it stands, it promises whole files.
  fs::remove(out_ / kSummaryName, error);
  check(error, "be removed", out_ / kSummaryName);
  std::set<fs::path> folders;
  for (const fs::path& file : files) {
    fs::remove(out_ / file, error);
    check(error, "be removed", out_ / file);
    if (file.has_parent_path()) folders.insert(file.parent_path());
  }
  // A folder that holds something of the user's stays: remove() refuses it.
  for (const fs::path& folder : folders) fs::remove(out_ / folder, error);
}

}  // namespace fathom
