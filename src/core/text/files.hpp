// SPDX-License-Identifier: MIT
#pragma once
// Reading whole files, guards against files of unknown origin, and files that appear whole or not at all.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <new>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include <fathom/core/error.hpp>

namespace fathom {

/// Throws InputError unless `file` is a regular file that is not empty and may be read.
void require_readable_file(const std::filesystem::path& file);

/// Throws SystemError "file: <lack>", or "<lack>" if the name is empty.
[[noreturn]] void fail_memory(const std::filesystem::path& file, std::string_view lack);

/// Calls f(), which works on the content of `file`. Throws SystemError naming the file if memory does not suffice.
template <class F>
auto within_memory(const std::filesystem::path& file, F&& f,
                   std::string_view lack = "there is not enough memory for what it holds") -> decltype(f()) {
  try {
    return std::forward<F>(f)();
  } catch (const std::bad_alloc&) {
    fail_memory(file, lack);
  } catch (const std::length_error&) {
    fail_memory(file, lack);
  }
}

/// All bytes of a file. Throws InputError if it is not readable, SystemError if memory does not suffice.
std::string read_file(const std::filesystem::path& file);

/// The target of `path` after links are followed; empty if it is outside all folders. It need not exist. Files that
/// other files name are opened only in certain folders.
std::optional<std::filesystem::path> confined(const std::filesystem::path& path,
                                              std::span<const std::filesystem::path> folders);

/// Deepest nesting of XML, JSON and trees of nodes that is read.
inline constexpr std::size_t kMaxNesting = 256;

/// Deepest nesting of [ and { outside strings, also after an imbalance.
std::size_t json_nesting(std::string_view text);

/// Throws InputError if `head`, the beginning of `file`, is a URDF, an SDF or an MJCF: users often give one instead of
/// a scene or a mesh.
void refuse_robot_description(std::string_view head, const std::string& file);

/// The place of the bytes on disk until commit().
enum class Unfinished : std::uint8_t {
  kNameless,  ///< O_TMPFILE: the kernel removes them if the process dies
  kHidden,    ///< a hidden name beside the file, for file systems without O_TMPFILE; removed by the destructor
};

/// A file that appears whole or not at all: commit() puts it under its name and replaces an older one, and without
/// commit() no file is left. Replacing takes two steps (link, rename): a process killed between them leaves a whole
/// file `.NAME.PID.part`. In an unfinished folder, hidden as `.NAME.part`, a new file gets its name at once, which
/// takes half the time. Every function throws SystemError naming the file and the reason of the system.
class WholeFile {
 public:
  explicit WholeFile(std::filesystem::path file, Unfinished unfinished = Unfinished::kNameless);
  ~WholeFile();
  WholeFile(const WholeFile&) = delete;
  WholeFile& operator=(const WholeFile&) = delete;

  void write(std::span<const std::byte> bytes);
  void write(std::string_view text) { write(std::as_bytes(std::span(text))); }
  void commit();

 private:
  [[noreturn]] void fail(std::string_view action) const;
  void open_in_place();
  void open_hidden();
  void name_nameless();

  std::filesystem::path file_;
  std::string hidden_;  ///< name on disk that the destructor must remove; empty if none exists
  int descriptor_ = -1;
};

/// Writes a file with this content.
void write_whole_file(const std::filesystem::path& file, std::string_view content);

}  // namespace fathom
