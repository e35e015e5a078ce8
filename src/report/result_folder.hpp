// SPDX-License-Identifier: MIT
#pragma once
// A folder of results: a few files of known names, the last of which is JSON. A folder that holds it is complete.

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fathom {

struct ResultKind {
  std::string_view noun;                      ///< "fit": in messages
  std::span<const char* const> names;         ///< of the files, the JSON last
  std::span<const std::string_view> of_ours;  ///< keys that the JSON has when fathom wrote it
  /// A file that only some of these results have, and the key that their JSON then has; what an earlier one left is
  /// removed.
  const char* of_some = nullptr;
  std::string_view of_some_key = {};
};

std::vector<std::filesystem::path> result_files(const ResultKind& kind, const std::filesystem::path& folder);

/// Throws InputError when the folder exists and `force` is not set, when it is no folder, or when it holds files of
/// these names that were not written as such a result. Changes nothing.
void check_result_folder(const ResultKind& kind, const std::filesystem::path& folder, bool force);

/// Checks, makes the folder and writes a file for each name, in their order; each appears whole or not at all. No
/// file is written where the content is empty. Two
/// writers into one folder write one after the other, where the file system has locks. Throws InputError or
/// SystemError.
void write_results(const ResultKind& kind, const std::filesystem::path& folder, std::span<const std::string> contents,
                   bool force);

}  // namespace fathom
