// SPDX-License-Identifier: MIT
#pragma once
// parameters.yaml as text in memory.

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fathom/beam/field_log.hpp>
#include <fathom/beam/model_file.hpp>

#include "report/report.hpp"

namespace fathom {

/// As read_beam_model; `file` names the text in messages.
BeamModel read_beam_model_text(std::string_view text, const std::filesystem::path& file);
std::string beam_model_text(const BeamModel& model);
/// What write_field_model() writes.
std::string field_model_text(const LikelihoodFieldModel& model);

// A folder of results (fathom/report/form.hpp): a few files of known names, the last is JSON.

struct ResultFile {
  std::string name, text;
};

/// Checks, makes the folder and writes the files in their order, the JSON last; each appears whole or not at all. What
/// the "files" of an earlier JSON name is removed where it is not written again. Two writers into one folder write one
/// after the other, where the file system has locks. Throws InputError or SystemError.
void write_results(ResultKind kind, const std::filesystem::path& folder, std::span<const ResultFile> files, bool force);

/// The same with report.html and the JSON of a report behind `files`.
void write_report(ResultKind kind, const std::filesystem::path& folder, const Report& report,
                  std::vector<ResultFile> files, bool force);

}  // namespace fathom
