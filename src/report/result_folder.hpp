// SPDX-License-Identifier: MIT
#pragma once
// parameters.yaml as text in memory.

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fathom/beam/model_file.hpp>

#include "report/report.hpp"

namespace fathom {

/// As read_beam_model; `file` names the text in messages.
BeamModel read_beam_model_text(std::string_view text, const std::filesystem::path& file);
std::string beam_model_text(const BeamModel& model);

// A folder of results: a few files of known names. The last is JSON, and a folder that holds it is complete.

struct ResultKind {
  std::string_view noun;                    ///< "fit": in messages
  std::span<const char* const> names;       ///< of files that such a result may have, the JSON last
  std::span<const std::string_view> kinds;  ///< what "kind" may be in the JSON that fathom wrote
};

struct ResultFile {
  std::string name, text;
};

std::vector<std::filesystem::path> result_files(const ResultKind& kind, const std::filesystem::path& folder);

/// Throws InputError when the folder exists and `force` is not set, when it is no folder, or when it holds files of
/// these names that were not written as such a result. Changes nothing.
void check_result_folder(const ResultKind& kind, const std::filesystem::path& folder, bool force);

/// Checks, makes the folder and writes the files in their order, the JSON last; each appears whole or not at all. What
/// the "files" of an earlier JSON name is removed where it is not written again. Two writers into one folder write one
/// after the other, where the file system has locks. Throws InputError or SystemError.
void write_results(const ResultKind& kind, const std::filesystem::path& folder, std::span<const ResultFile> files,
                   bool force);

/// The same with report.html and the JSON of a report behind `files`.
void write_report(const ResultKind& kind, const std::filesystem::path& folder, const Report& report,
                  std::vector<ResultFile> files, bool force);

/// As write_fit(), of a beam model or a likelihood field.
void write_fit_folder(const std::filesystem::path& folder, const Report& report, std::vector<ResultFile> files,
                      bool force);

}  // namespace fathom
