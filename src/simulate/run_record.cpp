// SPDX-License-Identifier: MIT
#include "simulate/run_record.hpp"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <fstream>
#include <optional>
#include <string_view>
#include <sys/file.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

#include <fmt/format.h>

#include <fathom/base/error.hpp>

#include "base/text.hpp"

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

/// Nothing but what a plan can hold stands for more than one file.
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

/// The name of all frames of a plan as the record has it.
std::string with_frames(const PlannedFolder& folder, const std::string& planned, std::uint32_t of_run) {
  const std::uint32_t frames = folder.frames > 0 ? folder.frames : of_run;
  const std::size_t star = planned.find('*');
  if (star == std::string::npos) return planned;
  return fmt::format("{}[000000-{:06}]{}", planned.substr(0, star), frames - 1, planned.substr(star + 1));
}

/// The name that `.NAME.PID.part` and `.NAME.PID-N.part` are to become (whole_file.hpp); others as they are.
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

/// Whether a line of the record stands for a file of this name.
bool covers(std::string_view line, std::string_view file) {
  const auto pattern = find_pattern(line);
  return pattern ? matches(file, *pattern) : file == line;
}

bool is_folder(const fs::path& path) {
  std::error_code error;
  return fs::is_directory(fs::symlink_status(path, error));
}

/// Appends the existing files that a line of the record stands for.
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

}  // namespace

void check_inside(const fs::path& folder, const fs::path& file, const fs::path& list) {
  if (is_inside(folder, file) && !is_folder(folder / file)) return;
  throw InputError(fmt::format("{}: lists '{}', which is not a file inside the folder; nothing is removed",
                               list.string(), file.string()));
}

void throw_taken(const fs::path& folder) {
  throw InputError(
      fmt::format("{}: exists already; force (--force) replaces what an earlier run wrote", folder.string()));
}

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
    // The run died while it wrote this line: before it wrote, or removed, a file of its list.
    if (!whole) break;
    if (first || line.empty()) continue;
    check_inside(folder, line, record);
    append_entries(folder, line, entries);
  }
  // A folder is none of ours, whatever its name.
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

/// Whether the file locked still has the name: the run that had it may have removed it meanwhile.
bool RunRecord::lock() {
  if (flock(descriptor_, LOCK_EX | LOCK_NB) != 0) {
    const int error = errno;
    if (error == EWOULDBLOCK) {
      close(descriptor_);
      throw InputError(fmt::format("{}: another run is writing into this folder", file_.parent_path().string()));
    }
    // A file system without locks: two runs with force then do not see each other.
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

}  // namespace fathom
