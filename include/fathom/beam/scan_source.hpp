// SPDX-License-Identifier: MIT
#pragma once
// The scans of a log one after the other, for logs that memory does not hold.

#include <filesystem>
#include <memory>
#include <string>

#include <fathom/base/export.hpp>
#include <fathom/beam/bag_log.hpp>
#include <fathom/beam/scan.hpp>

namespace fathom {

/// Reads a log from its first scan to its last as often as is asked, and keeps none of them.
class FATHOM_API ScanSource {
 public:
  ScanSource() = default;
  ScanSource(const ScanSource&) = delete;
  ScanSource& operator=(const ScanSource&) = delete;
  virtual ~ScanSource();

  std::string name;  ///< in messages and reports, as that of a ScanLog

  /// Back before the first scan.
  virtual void rewind() = 0;
  /// Appends the next scan to `log`, which is empty or holds scans of this source: it gets azimuths and maximum range
  /// with the first one. Where one of the source's scans may have a `ray_offset`, each gets one. False at the end:
  /// `log` gets what was skipped and the notes of all the log. Throws as what reads the whole log does.
  virtual bool next(ScanLog& log) = 0;
  /// Passes over the next scan, faster where it can; false at the end.
  virtual bool skip() = 0;
};

/// Of a file that read_scan_log() reads, with the same scans. Memory holds a line of it; gzip may inflate to more than
/// 4 GiB. Throws InputError when the file cannot be opened; what is wrong in it is thrown where reading comes to it.
FATHOM_API std::unique_ptr<ScanSource> open_scan_log(const std::filesystem::path& file,
                                                     const ScanLogOptions& options = {});

/// Of a bag that read_bag_log() reads, with the same scans. Memory holds its transforms, 24 bytes for each scan, and a
/// chunk of the bag. Throws as read_bag_log() does for what the bag lacks.
FATHOM_API std::unique_ptr<ScanSource> open_bag_log(const std::filesystem::path& bag,
                                                    const BagLogOptions& options = {});

}  // namespace fathom
