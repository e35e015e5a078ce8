// SPDX-License-Identifier: MIT
#include "run/run_folder.hpp"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <fstream>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <sys/file.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <fathom/core/error.hpp>

#include "core/text.hpp"

namespace fathom {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kHeader =
    "fathom: this run is not complete. The files below are its own; [a-b] stands for the numbers of its frames.\n";
constexpr std::string_view kDigits = "0123456789";
constexpr std::size_t kFrameDigits = 6;

/// "cloud_[000000-000039].pcd": the files of the frames up to `last`.
struct FramePattern {
  std::string_view before, after;
  std::string_view last;
};

bool is_frame(std::string_view text) {
  return text.size() == kFrameDigits && text.find_first_not_of(kDigits) == std::string_view::npos;
}

/// Recognises only patterns that a plan can hold; other names mean a single file.
std::optional<FramePattern> find_pattern(std::string_view name) {
  constexpr std::string_view kFirst = "[000000-";
  const std::size_t open = name.find(kFirst), close = open + kFirst.size() + kFrameDigits;
  if (open == std::string_view::npos || name.substr(std::min(close, name.size())).substr(0, 2) != "].") return {};
  const FramePattern found = {name.substr(0, open), name.substr(close + 1),
                              name.substr(close - kFrameDigits, kFrameDigits)};
  const bool ours = found.before.ends_with('_') && is_word(found.before) && is_word(found.after.substr(1));
  if (!ours || !is_frame(found.last)) return {};
  return found;
}

/// The name of all frames of a plan, as the record has it.
std::string with_frames(const PlannedFolder& folder, const std::string& planned, std::uint32_t of_run) {
  const std::uint32_t frames = folder.frames > 0 ? folder.frames : of_run;
  const std::size_t star = planned.find('*');
  if (star == std::string::npos) return planned;
  return fmt::format("{}[000000-{:06}]{}", planned.substr(0, star), frames - 1, planned.substr(star + 1));
}

/// The final name of `.NAME.PID.part` and `.NAME.PID-N.part` (core/text/files.hpp); other names unchanged.
std::string_view final_name(std::string_view name) {
  constexpr std::string_view kPart = ".part";
  if (!name.starts_with('.') || !name.ends_with(kPart)) return name;
  const std::string_view inner = name.substr(1, name.size() - 1 - kPart.size());
  const std::size_t dot = inner.rfind('.');
  if (dot == std::string_view::npos || inner.find_first_not_of("0123456789-", dot + 1) != std::string_view::npos) {
    return name;
  }
  return inner.substr(0, dot);
}

bool matches(std::string_view name, const FramePattern& pattern) {
  if (name.size() != pattern.before.size() + kFrameDigits + pattern.after.size()) return false;
  const std::string_view frame = name.substr(pattern.before.size(), kFrameDigits);
  return name.starts_with(pattern.before) && name.ends_with(pattern.after) && is_frame(frame) && frame <= pattern.last;
}

/// Whether a line of the record means a file of this name.
bool covers(std::string_view line, std::string_view file) {
  const auto pattern = find_pattern(line);
  return pattern ? matches(file, *pattern) : file == line;
}

bool is_folder(const fs::path& path) {
  std::error_code error;
  return fs::is_directory(fs::symlink_status(path, error));
}

/// Appends the existing files that a line of the record means.
void append_entries(const fs::path& folder, const fs::path& line, std::vector<fs::path>& entries) {
  const std::string wanted = line.filename().string();
  std::error_code error;
  const auto pattern = find_pattern(wanted);
  if (!pattern) {
    if (fs::exists(fs::symlink_status(folder / line, error))) entries.push_back(line);
    return;
  }
  for (const auto& entry : fs::directory_iterator(folder / line.parent_path(), error)) {
    const std::string name = entry.path().filename().string();
    if (matches(final_name(name), *pattern)) entries.push_back(line.parent_path() / name);
  }
}

bool is_inside(const fs::path& folder, const fs::path& file) {
  if (file.empty() || file.is_absolute()) return false;
  std::error_code error;
  const fs::path root = fs::canonical(folder, error);
  if (error) return false;
  const fs::path parent = fs::weakly_canonical(folder / file.parent_path(), error);
  if (error || file.filename() == ".." || file.filename() == "." || file.filename().empty()) return false;
  const fs::path relative = parent.lexically_relative(root);
  return !relative.empty() && *relative.begin() != "..";
}

/// Throws InputError, naming `list`, unless `file`, relative to the folder, is a file inside it, also behind links.
void check_inside(const fs::path& folder, const fs::path& file, const fs::path& list) {
  if (is_inside(folder, file) && !is_folder(folder / file)) return;
  throw InputError(fmt::format("{}: lists '{}', which is not a file inside the folder; nothing is removed",
                               list.string(), file.string()));
}

/// Throws the InputError of a run without force that finds a folder in use.
[[noreturn]] void throw_taken(const fs::path& folder) {
  throw InputError(folder.string(), ": exists already; force", Hint{"force", "", true},
                   " replaces what an earlier run wrote");
}

/// The existing files with names of a plan, relative to `folder`.
std::vector<fs::path> find_planned(const fs::path& folder, const std::vector<PlannedFolder>& plan,
                                   std::uint32_t frames) {
  std::vector<fs::path> entries;
  for (const PlannedFolder& subfolder : plan) {
    for (const std::string& file : subfolder.files) {
      append_entries(folder, fs::path(subfolder.name) / with_frames(subfolder, file, frames), entries);
    }
  }
  return entries;
}

/// Whether a plan has a folder or a file of this name, relative to the run's folder, ignoring case.
bool is_planned(const fs::path& name, const std::vector<PlannedFolder>& plan, std::uint32_t frames) {
  const std::string folder = lower_case(name.parent_path().string()), file = lower_case(name.filename().string());
  return std::any_of(plan.begin(), plan.end(), [&](const PlannedFolder& planned) {
    const std::string own = lower_case(planned.name);
    if (folder.empty()) return file == own;
    return folder == own && std::any_of(planned.files.begin(), planned.files.end(), [&](const std::string& glob) {
             return covers(lower_case(with_frames(planned, glob, frames)), file);
           });
  });
}

}  // namespace

std::vector<fs::path> read_record(const fs::path& folder) {
  const fs::path record = folder / kRecordName;
  std::ifstream stream(record, std::ios::binary);
  std::vector<fs::path> entries;
  std::string line;
  for (bool first = true; std::getline(stream, line); first = false) {
    const bool whole = !stream.eof();
    if (first && !(whole ? line + "\n" == kHeader : kHeader.starts_with(line))) {
      throw InputError(fmt::format("{}: not written by fathom; nothing is replaced here", record.string()));
    }
    // The run died while it wrote this line, before it wrote or removed a file of its list.
    if (!whole) break;
    if (first || line.empty()) continue;
    check_inside(folder, line, record);
    append_entries(folder, line, entries);
  }
  // Runs list no folders.
  std::erase_if(entries, [&](const fs::path& entry) { return is_folder(folder / entry); });
  return entries;
}

RunRecord::RunRecord(const fs::path& folder, bool force) : file_(folder / kRecordName) {
  const int flags = O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW | (force ? 0 : O_EXCL);
  do {
    if (descriptor_ >= 0) close(descriptor_);
    descriptor_ = open(file_.c_str(), flags, 0666);
    if (descriptor_ < 0 && errno == EEXIST) throw_taken(folder);
    if (descriptor_ < 0) fail("cannot create");
  } while (!lock());
}

RunRecord::~RunRecord() {
  if (descriptor_ >= 0) close(descriptor_);
}

/// Whether the locked file still has the name: the run that had it may have removed it meanwhile.
bool RunRecord::lock() {
  if (flock(descriptor_, LOCK_EX | LOCK_NB) != 0) {
    const int error = errno;
    if (error == EWOULDBLOCK) {
      close(descriptor_);
      throw InputError(fmt::format("{}: another run is writing into this folder", file_.parent_path().string()));
    }
    // On a file system without locks, two runs with force do not see each other.
    if (error != ENOLCK && error != ENOSYS && error != EOPNOTSUPP && error != EINVAL) {
      close(descriptor_);
      errno = error;
      fail("cannot lock");
    }
  }
  struct stat ours = {}, named = {};
  return fstat(descriptor_, &ours) == 0 && stat(file_.c_str(), &named) == 0 && ours.st_ino == named.st_ino &&
         ours.st_dev == named.st_dev;
}

void RunRecord::fail(const char* action) const {
  throw SystemError(fmt::format("{}: {}: {}", file_.string(), action, std::generic_category().message(errno)));
}

void RunRecord::append(const std::string& text) {
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t written = write(descriptor_, text.data() + done, text.size() - done);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail("cannot write");
    done += static_cast<std::size_t>(written);
  }
}

void RunRecord::add(const std::vector<fs::path>& files) {
  struct stat ours = {};
  if (fstat(descriptor_, &ours) != 0) fail("cannot read");
  const bool begun = static_cast<std::size_t>(ours.st_size) >= kHeader.size();
  if (!begun && ftruncate(descriptor_, 0) != 0) fail("cannot write");
  std::string text(begun ? "\n" : kHeader);  // ends a line that was not finished
  for (const fs::path& file : files) text += file.string() + "\n";
  append(text);
}

void RunRecord::replace(const std::vector<PlannedFolder>& plan, std::uint32_t frames) {
  if (ftruncate(descriptor_, 0) != 0) fail("cannot write");
  std::string text(kHeader);
  for (const PlannedFolder& folder : plan) {
    for (const std::string& file : folder.files) text += folder.name + "/" + with_frames(folder, file, frames) + "\n";
  }
  append(text);
}

void RunRecord::give_up() {
  struct stat ours = {};
  if (fstat(descriptor_, &ours) == 0 && ours.st_size == 0) remove();
}

void RunRecord::remove() {
  if (unlink(file_.c_str()) != 0) fail("cannot be removed");
  close(descriptor_);
  descriptor_ = -1;
}

namespace {

/// The files that summary.json lists; empty without a summary.
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

/// Whether the folder holds at most the record of this run.
bool is_free(const fs::path& folder) {
  std::error_code error;
  fs::directory_iterator entries(folder, error);
  check(error, "be read", folder);
  return std::all_of(begin(entries), end(entries), [](const auto& e) { return e.path().filename() == kRecordName; });
}

/// Refuses links, which would lead the run into another folder.
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
    throw InputError("the output folder", Hint{"out", "", true},
                     fmt::format(" cannot be called {}: {}", one_line(out_.string()), error.message()));
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
    if (!force_ && !is_free(out_)) throw_taken(out_);    // another run has begun and ended since the constructor
    refuse_inputs({kSummaryName, kRecordName}, inputs);  // before they are read as lists
    old = old_files();
    const std::vector<fs::path> planned = find_planned(out_, plan, frames);
    std::vector<fs::path> touched = old;
    touched.insert(touched.end(), planned.begin(), planned.end());
    refuse_inputs(touched, inputs);
    // A file that no run has listed belongs to the user.
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
  struct stat there = {};
  for (const fs::path& input : inputs) {
    if (stat(input.c_str(), &there) == 0) input_at.emplace(std::pair(there.st_dev, there.st_ino), input);
  }
  for (const fs::path& file : files) {
    if (stat((out_ / file).c_str(), &there) != 0) continue;
    const auto input = input_at.find({there.st_dev, there.st_ino});
    if (input == input_at.end()) continue;
    throw InputError(fmt::format("{}: is an input too ({}); give another output folder", (out_ / file).string(),
                                 input->second.string()),
                     Hint{"out", "", true});
  }
}

/// Relative to the folder; may contain a file twice.
std::vector<fs::path> RunFolder::old_files() const {
  std::vector<fs::path> files = read_summary(out_);
  const std::vector<fs::path> unfinished = read_record(out_);
  files.insert(files.end(), unfinished.begin(), unfinished.end());
  for (fs::path& file : files) file = file.lexically_normal();
  return files;
}

/// The record lists all files before the first is removed: a run that dies here leaves no file unlisted.
void RunFolder::remove(const std::vector<fs::path>& files) {
  if (!files.empty()) record_->add(files);
  std::error_code error;
  // Removes the summary first: its existence promises whole files.
  fs::remove(out_ / kSummaryName, error);
  check(error, "be removed", out_ / kSummaryName);
  std::set<fs::path> folders;
  for (const fs::path& file : files) {
    fs::remove(out_ / file, error);
    check(error, "be removed", out_ / file);
    if (file.has_parent_path()) folders.insert(file.parent_path());
  }
  // A folder with files of the user remains: remove() refuses it.
  for (const fs::path& folder : folders) fs::remove(out_ / folder, error);
}

}  // namespace fathom
