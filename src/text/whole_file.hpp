// SPDX-License-Identifier: MIT
#pragma once
// Files that appear whole or not at all.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

namespace fathom {

/// How the bytes live on disk until commit().
enum class Unfinished : std::uint8_t {
  kNameless,  ///< O_TMPFILE: the kernel forgets them when the process dies, however it dies
  kHidden,    ///< a hidden name beside the file, for file systems without O_TMPFILE; removed by the destructor
};

/// A file being written. Nothing is visible under the final name before commit(), which puts the whole file there at
/// once, replacing an older one; without commit() nothing is left. A file that is replaced needs a second name for a
/// moment (link, then rename): a process killed exactly between the two leaves a whole file `.NAME.PID.part`.
/// In a folder that is itself unfinished, hidden as `.NAME.part`, nobody sees the file anyway: there a new file is
/// written under its name at once, which takes half the time. Every function throws SystemError naming the file and
/// what the system said.
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
  std::string hidden_;  ///< name on disk that the destructor must remove; empty: none
  int descriptor_ = -1;
};

/// A file of this content.
void write_whole_file(const std::filesystem::path& file, std::string_view content);

}  // namespace fathom
