// SPDX-License-Identifier: MIT
#pragma once
// A result as sections of tables, figures and text. Three writers turn it into a page, JSON and terminal output.
// Makers of sections write plain text; only pictures are HTML.

#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <nlohmann/json.hpp>

#include <fathom/core/error.hpp>
#include <fathom/report/fit.hpp>

namespace fathom {

/// The first finding that makes a result useless; empty if the result is usable.
Message first_unusable(std::span<const Finding> findings);

struct Report {
  using Json = nlohmann::ordered_json;

  /// Where a column or a table is shown. A phone has no room for columns that are kAside: it shows their cells in a
  /// line below, each after its head.
  enum class Place : std::uint8_t { kShown, kAside, kJson };
  struct Column {
    std::string head;  ///< empty if the values need no heading
    bool is_number = true;
    Place place = Place::kShown;
    std::string key = {};  ///< in JSON; empty: not there
    bool is_name = false;  ///< of a parameter
  };
  struct Cell {
    std::string text;  ///< for people
    Json value = {};   ///< for programs
  };
  struct Table {
    std::vector<Column> columns;
    std::vector<std::vector<Cell>> rows;
    std::string note = {};  ///< below
    std::string key = {};   ///< in the details of JSON, as an array of objects; empty: not there
    Place place = Place::kShown;
    std::string style = "parameters";  ///< CSS class of a table with heads
  };

  /// A patch or a stroke of a CSS colour, and its meaning.
  struct Key {
    std::string color, text;
    bool is_stroke = false;
  };
  struct Figure {
    std::string picture;  ///< HTML; empty: these keys are of the figures beside it
    std::string lead = {};
    std::vector<Key> keys = {};
    std::string caption = {};
  };

  /// Figures of a row, which are drawn when a page asks for them.
  using Figures = std::function<std::vector<Figure>()>;

  enum class TextForm : std::uint8_t { kParagraph, kList, kCode };
  struct Text {
    std::vector<std::string> lines;
    TextForm form = TextForm::kParagraph;
  };

  using Piece = std::variant<Table, Figures, Text>;
  struct Section {
    std::string head;
    std::vector<Piece> pieces;
    bool is_folded = false;  ///< only pages have it
  };

  std::string kind, title;
  std::string intro = {};
  Message unusable = {};  ///< why the result cannot be used; else empty
  std::vector<Fact> summary = {};
  Fit fit = {};
  std::string parameter_note = {};
  std::vector<Section> sections = {};
  Json details = Json::object();  ///< of this kind of report

  /// The first reason stands; an empty one is ignored.
  void refuse(bool is_unusable, const Message& why) {
    if (is_unusable && unusable.empty()) unusable = why;
  }
};

std::string html_text(const Report& report);
/// `files`: that are written with it.
std::string json_text(const Report& report, std::span<const std::string> files = {});
/// `names`: of the settings in its messages. `brief`: the verdict and the parameters.
std::string terminal_text(const Report& report, SettingNames names = {}, bool brief = false);
std::string text_of(const Report& report, ReportForm form, SettingNames names = {});

/// Common to the writers: the first line, a doubt about held-out scans (empty: no doubt), the table of parameters.
std::string verdict_text(const Report& report, SettingNames names = {});
std::string held_out_line(const Report& report);
Report::Table parameter_table(const Report& report);

/// JSON has no NaN and no infinity.
Report::Json number_or_null(double value);
/// Empty: null.
Report::Json text_or_null(const std::string& text);

/// A number in a form of fmt; a dash for an unknown one.
std::string text_or_dash(double value, std::string_view form);
/// "0.12 ± 0.03"
std::string with_error(const std::string& value, double std_error, std::string_view form = "{:.2g}");

Report::Cell number_cell(double value, std::string_view form);
Report::Cell count_cell(std::size_t value);
Report::Cell text_cell(const std::string& text);

inline Report::Key patch(std::string color, std::string text) { return {std::move(color), std::move(text)}; }
inline Report::Key stroke(std::string color, std::string text) { return {std::move(color), std::move(text), true}; }
template <class Choice>
std::string choice_word(Choice choice) {
  return std::string(kChoiceWords<Choice>[static_cast<std::size_t>(choice)]);
}
/// Refuses a result if no parameter has this error.
void require_errors(double Fit::Parameter::*error, Report& report);
/// What a scene file takes from a result.
Report::Section scene_file_section(std::string text);
/// Names and values.
Report::Table fact_table(std::span<const Fact> facts);

// A folder of results (fathom/report/fit.hpp): a few files of known names, the last is JSON.

struct ResultFile {
  std::string name, text;
};

/// Checks, makes the folder and writes these files, report.html and the JSON of the report, in this order; each appears
/// whole or not at all. Removes what the "files" of an earlier JSON name and this result does not have. Two writers
/// into one folder write one after the other, where the file system has locks. Throws InputError or SystemError.
void write_report(ResultKind kind, const std::filesystem::path& folder, const Report& report,
                  std::vector<ResultFile> files, bool force);

}  // namespace fathom
