// SPDX-License-Identifier: MIT
// Results, reports on a terminal and as JSON, and code that their makers share.
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include <fathom/core/error.hpp>
#include <fathom/core/names.hpp>
#include <fathom/report/fit.hpp>

#include "core/text.hpp"
#include "report/report.hpp"

namespace fathom {

const Fit::Parameter& Fit::operator[](std::string_view name) const& {
  const auto found = std::ranges::find(parameters, name, &Fit::Parameter::name);
  if (found == parameters.end()) throw InputError("the fit has no parameter ", name);
  return *found;
}

Fit::Parameter Fit::operator[](std::string_view name) && { return std::as_const(*this)[name]; }

Message first_unusable(std::span<const Finding> findings) {
  const auto found = std::ranges::find(findings, Finding::Severity::kUnusable, &Finding::severity);
  return found == findings.end() ? Message() : found->text;
}

std::vector<std::string> texts_of(std::span<const Finding> findings, SettingNames names) {
  std::vector<std::string> texts;
  for (const Finding& finding : findings) texts.push_back(finding.text.text(names));
  return texts;
}

namespace {

using Json = Report::Json;
using Place = Report::Place;

Json parameter_json(const Fit::Parameter& p) {
  Json json = {{"value", p.value}, {"unit", p.unit}, {"start", number_or_null(p.start)}};
  json["std_error"] = number_or_null(p.std_error);
  json["naive_error"] = number_or_null(p.naive_error);
  json["interval_95"] = nullptr;
  if (!std::isnan(p.low_95)) json["interval_95"] = {number_or_null(p.low_95), number_or_null(p.high_95)};
  json["status"] = choice_word(p.status);
  return json;
}

Json table_json(const Report::Table& table) {
  Json rows = Json::array();
  for (const std::vector<Report::Cell>& row : table.rows) {
    Json object = Json::object();
    for (std::size_t c = 0; c < row.size(); ++c) {
      if (!table.columns[c].key.empty()) object[table.columns[c].key] = row[c].value;
    }
    rows.push_back(std::move(object));
  }
  return rows;
}

Json details_of(const Report& report) {
  Json details = report.details;
  for (const Report::Section& section : report.sections) {
    for (const Report::Piece& piece : section.pieces) {
      const auto* table = std::get_if<Report::Table>(&piece);
      if (table != nullptr && !table->key.empty()) details[table->key] = table_json(*table);
    }
  }
  return details;
}

Json held_out_json(const Fit& fit) {
  if (!fit.held_out) return nullptr;
  const Fit::HeldOut& held_out = *fit.held_out;
  return {{"nats", number_or_null(held_out.nats)},
          {"readings", held_out.readings},
          {"gain_nats", number_or_null(held_out.gain_nats)},
          {"gain_std_error", number_or_null(held_out.gain_error)},
          {"note", text_or_null(held_out.note)}};
}

/// A terminal has no typographic signs.
std::string plain(std::string text) {
  constexpr std::array<std::array<std::string_view, 2>, 6> kSigns = {
      {{"±", "+-"}, {"–", "-"}, {"−", "-"}, {" · ", " x "}, {"∞", "inf"}, {"°", " deg"}}};
  for (const auto& [sign, ascii] : kSigns) {
    for (std::size_t at = 0; (at = text.find(sign, at)) != std::string::npos; at += ascii.size()) {
      text.replace(at, sign.size(), ascii);
    }
  }
  return text;
}

std::string shown_line(const std::string& text) { return printable(plain(text)); }

/// Columns two blanks apart, one row a line.
std::string table_lines(const Report::Table& table) {
  std::vector<std::vector<std::string>> rows(1);
  std::vector<std::size_t> widths;
  std::vector<bool> to_right;
  for (const Report::Column& column : table.columns) {
    if (column.place == Place::kJson) continue;
    rows.front().push_back(shown_line(column.head));
    widths.push_back(rows.front().back().size()), to_right.push_back(column.is_number);
  }
  const bool has_heads = std::ranges::any_of(widths, [](std::size_t width) { return width > 0; });
  for (const std::vector<Report::Cell>& row : table.rows) {
    std::vector<std::string>& texts = rows.emplace_back();
    for (std::size_t c = 0; c < row.size(); ++c) {
      if (table.columns[c].place == Place::kJson) continue;
      texts.push_back(shown_line(row[c].text));
      widths[texts.size() - 1] = std::max(widths[texts.size() - 1], texts.back().size());
    }
  }
  std::string text;
  for (std::size_t r = has_heads ? 0 : 1; r < rows.size(); ++r) {
    std::string line;
    for (std::size_t c = 0; c < rows[r].size(); ++c) {
      line += fmt::format(fmt::runtime(to_right[c] ? "{:>{}}  " : "{:<{}}  "), rows[r][c], widths[c]);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return table.note.empty() ? text : text + shown_line(table.note) + "\n";
}

std::string text_lines(const Report::Text& text) {
  std::string lines;
  for (const std::string& line : text.lines) {
    if (text.form == Report::TextForm::kCode) {
      lines += line + (line.ends_with('\n') ? "" : "\n");
    } else {
      lines += (text.form == Report::TextForm::kList ? "- " : "") + shown_line(line) + "\n";
    }
  }
  return lines;
}

/// Empty of a figure.
std::string piece_lines(const Report::Piece& piece) {
  if (const auto* text = std::get_if<Report::Text>(&piece)) return text_lines(*text);
  const auto* table = std::get_if<Report::Table>(&piece);
  return table != nullptr && table->place != Place::kJson ? table_lines(*table) : "";
}

std::string section_lines(const Report::Section& section) {
  if (section.is_folded) return "";
  std::string lines;
  for (const Report::Piece& piece : section.pieces) lines += piece_lines(piece);
  return lines.empty() || section.head.empty() ? lines : "\n" + shown_line(section.head) + "\n" + lines;
}

/// A weight at its boundary is 0: learning comes near and never reaches it.
double printed_value(const Fit::Parameter& p) {
  const bool is_weight = p.name.starts_with("w_");
  return is_weight && p.status == Fit::Status::kAtLimit && p.value <= kWeightBoundary ? 0.0 : p.value;
}

}  // namespace

std::string verdict_text(const Report& report, SettingNames names) {
  return report.unusable.empty() ? "usable: yes" : "usable: no, because " + report.unusable.text(names);
}

std::string held_out_line(const Report& report) {
  const std::optional<Fit::HeldOut>& held_out = report.fit.held_out;
  return held_out && !held_out->note.empty() ? "Held out: " + held_out->note + "." : "";
}

Report::Table parameter_table(const Report& report) {
  const std::vector<Fit::Parameter>& parameters = report.fit.parameters;
  const bool has_start = std::ranges::any_of(
      parameters, [](double start) { return !std::isnan(start); }, &Fit::Parameter::start);
  const bool has_doc = std::ranges::any_of(
      parameters, [](const std::string& doc) { return !doc.empty(); }, &Fit::Parameter::doc);
  const bool has_status = std::ranges::any_of(
      parameters, [](Fit::Status status) { return status != Fit::Status::kLearned; }, &Fit::Parameter::status);
  Report::Table table{.columns = {{.head = "parameter", .is_number = false, .is_name = true},
                                  {"value"},
                                  {"± std. error"},
                                  {"95 % interval", true, Place::kAside},
                                  {"naive error", true, Place::kAside}},
                      .rows = {},
                      .note = report.parameter_note};
  if (has_start) table.columns.push_back({"as given", true, Place::kAside});
  table.columns.push_back({"unit", false});
  if (has_status) table.columns.push_back({"status", false, Place::kAside});
  if (has_doc) table.columns.push_back({"meaning", false, Place::kAside});
  for (const Fit::Parameter& p : parameters) {
    const std::string interval = std::isfinite(p.low_95) ? interval_text(p.low_95, p.high_95) : "–";
    std::vector<Report::Cell>& row = table.rows.emplace_back();
    row = {{p.name},
           {fmt::format("{:.5g}", printed_value(p))},
           {text_or_dash(p.std_error, "{:.2g}")},
           {interval},
           {text_or_dash(p.naive_error, "{:.2g}")}};
    if (has_start) row.push_back({text_or_dash(p.start, "{:.5g}")});
    row.push_back({p.unit == "1" ? "" : p.unit});
    if (has_status) row.push_back({p.status == Fit::Status::kAtLimit ? "at limit" : choice_word(p.status)});
    if (has_doc) row.push_back({p.doc});
  }
  return table;
}

std::string json_text(const Report& report, std::span<const std::string> files) {
  Json json = {{"kind", report.kind}, {"usable", report.unusable.empty()}, {"reason", text_or_null(report.unusable)}};
  json["parameters"] = Json::object();
  const Fit& fit = report.fit;
  for (const Fit::Parameter& p : fit.parameters) json["parameters"][p.name] = parameter_json(p);
  json["findings"] = Json::array();
  for (const Finding& finding : fit.findings) {
    json["findings"].push_back(
        {{"severity", choice_word(finding.severity)}, {"code", finding.code}, {"text", finding.text.text()}});
  }
  json["log_likelihood"] = {{"start", number_or_null(fit.start_log_likelihood)},
                            {"learned", number_or_null(fit.log_likelihood)}};
  json["blocks"] = {{"count", fit.blocks}, {"of", text_or_null(fit.block)}};
  json["held_out"] = held_out_json(fit);
  json["details"] = details_of(report);
  if (!files.empty()) json["files"] = std::vector<std::string>(files.begin(), files.end());
  // Names of files are bytes: invalid UTF-8 becomes U+FFFD.
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string terminal_text(const Report& report, SettingNames names, bool brief) {
  std::string text = shown_line(verdict_text(report, names)) + "\n";
  Report::Table parameters = parameter_table(report);
  if (brief) parameters.note.clear();
  if (!report.fit.parameters.empty()) text += table_lines(parameters);
  if (brief && !report.fit.parameters.empty()) return text;
  for (const Finding& finding : report.fit.findings) text += "note: " + shown_line(finding.text.text(names)) + "\n";
  if (!report.summary.empty()) text += "\n";
  for (const Fact& fact : report.summary) text += shown_line(fact.name + ": " + fact.value) + "\n";
  if (const std::string line = held_out_line(report); !line.empty()) text += shown_line(line) + "\n";
  for (const Report::Section& section : report.sections) text += section_lines(section);
  return text;
}

std::string text_of(const Report& report, ReportForm form, SettingNames names) {
  switch (form) {
    case ReportForm::kTerminal:
      return terminal_text(report, names);
    case ReportForm::kBrief:
      return terminal_text(report, names, true);
    case ReportForm::kHtml:
      return html_text(report);
    case ReportForm::kJson:
      return json_text(report);
  }
  return "";
}

Json number_or_null(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

Json text_or_null(const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); }

std::string text_or_dash(double value, std::string_view form) {
  return std::isfinite(value) ? fmt::format(fmt::runtime(form), value) : "–";
}

std::string with_error(const std::string& value, double std_error, std::string_view form) {
  return std::isfinite(std_error) ? value + " ± " + fmt::format(fmt::runtime(form), std_error) : value;
}

Report::Cell number_cell(double value, std::string_view form) {
  return {text_or_dash(value, form), number_or_null(value)};
}

Report::Cell count_cell(std::size_t value) { return {grouped(value), value}; }

Report::Cell text_cell(const std::string& text) { return {text, text}; }

Report::Table fact_table(std::span<const Fact> facts) {
  Report::Table table{.columns = {{"", false}, {"", false}}, .rows = {}};
  for (const Fact& fact : facts) table.rows.push_back({{fact.name}, {fact.value}});
  return table;
}

void require_errors(double Fit::Parameter::*error, Report& report) {
  const auto has_error = [error](const Fit::Parameter& p) { return std::isfinite(p.*error); };
  report.refuse(std::ranges::none_of(report.fit.parameters, has_error),
                "no parameter has a standard error: see the notes");
}

Report::Section scene_file_section(std::string text) {
  return {.head = "For the scene file", .pieces = {Report::Text{{std::move(text)}, Report::TextForm::kCode}}};
}

}  // namespace fathom
