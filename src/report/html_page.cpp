// SPDX-License-Identifier: MIT
// A report as one page that needs no other file, readable on a phone and on paper.
#include <fmt/format.h>

#include "report/plot.hpp"
#include "report/report.hpp"

namespace fathom {

namespace {

using Place = Report::Place;

constexpr std::string_view kStyle = R"(
:root { --hit: #2f6db5; --short: #e08214; --max: #7b4ea3; --rand: #a8b0b8; --ink: #1d2733; --soft: #5c6b7a; }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 32px 24px 48px; max-width: 1130px; background: #fff; color: var(--ink);
  font: 15px/1.5 system-ui, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif; }
h1 { margin: 0 0 4px; font-size: 26px; font-weight: 650; letter-spacing: -0.01em; }
h2 { margin: 36px 0 10px; font-size: 17px; font-weight: 650; }
p { margin: 6px 0; max-width: 75ch; color: var(--soft); }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th { text-align: left; font-weight: 600; color: var(--soft); border-bottom: 1.5px solid #cdd5dd; white-space: nowrap; }
th, td { padding: 5px 18px 5px 0; vertical-align: baseline; }
tbody tr + tr td { border-top: 1px solid #e8ecf0; }
td.number, th.number { text-align: right; } td.number { white-space: nowrap; }
code { font: 13.5px/1.4 ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace; }
.head { display: flex; flex-wrap: wrap; gap: 28px 56px; margin-top: 20px; }
.facts td:first-child { color: var(--soft); }
.flags { margin: 12px 0 0; padding: 10px 16px 10px 30px; border-left: 4px solid var(--short); background: #fff7ec; }
.flags li { overflow-wrap: anywhere; } .flags li + li { margin-top: 5px; }
.row { display: grid; grid-template-columns: 1fr 1fr; gap: 8px 32px; }
.row.three { grid-template-columns: 1fr 1fr 1fr; gap: 8px 16px; }
figure { margin: 0; break-inside: avoid; }
figcaption { color: var(--soft); font-size: 13.5px; max-width: 75ch; }
svg { display: block; width: 100%; height: auto; }
svg text { font: 11px system-ui, "Segoe UI", Roboto, Arial, sans-serif; fill: var(--soft); }
svg text.label { font-size: 12px; fill: var(--ink); }
.grid { stroke: #e8ecf0; } .axis { stroke: #7d8a97; }
.hit { fill: var(--hit); } .short { fill: var(--short); } .max { fill: var(--max); } .rand { fill: var(--rand); }
.bars { fill: #d5dce3; } .pit { fill: #8fb2d9; }
.data, .model, .under, .hit-line, .short-line, .rand-line { fill: none; stroke-width: 1.4; stroke-linejoin: round; }
.data { stroke: var(--ink); stroke-width: 1.2; } .model { stroke: #b3202c; stroke-width: 1.7; }
.under { stroke: #b9c4ce; stroke-width: 6; }
.hit-line { stroke: var(--hit); } .short-line { stroke: var(--short); } .rand-line { stroke: #7d8a97; }
.mark { stroke: var(--ink); stroke-dasharray: 4 4; stroke-width: 1; }
.key { display: inline-block; width: 12px; height: 12px; border-radius: 2px; margin: 0 5px -1px 0; }
.key ~ .key { margin-left: 14px; }
.key.stroke { height: 0; border-radius: 0; margin-bottom: 4px; border-top: 2px solid; }
.scroll { overflow-x: auto; }
.below { display: none; }
.verdict { margin: 10px 0; padding: 6px 14px; border-left: 4px solid #2e8b57; background: #eef7f1; color: var(--ink);
  font-weight: 600; overflow-wrap: anywhere; max-width: none; } .verdict.no { border-color: #b3202c; background: #fdeeee; }
.start { stroke: #7d8a97; stroke-dasharray: 5 4; fill: none; } .simulated, .other { stroke-dasharray: 5 4; }
.time-line { fill: none; stroke: var(--max); stroke-width: 1.4; }
.pixels { display: block; width: 100%; height: auto; } .coarse { image-rendering: pixelated; }
pre { overflow-x: auto; } details { margin-top: 28px; } summary { cursor: pointer; }
.made { margin-top: 36px; font-size: 13px; }
@media (max-width: 760px) { .row, .row.three { grid-template-columns: 1fr; }
  body { padding: 20px 16px 32px; } .row:not(.three) svg text { font-size: 13px; }
  pre { white-space: pre-wrap; } .pairs td { white-space: normal; } .pairs td.number { white-space: nowrap; }
  figcaption { margin-bottom: 14px; } .head, .row > * { min-width: 0; }
  .scroll td, .scroll th { white-space: nowrap; padding-right: 12px; } .aside { display: none; }
  .facts td:last-child { white-space: normal; overflow-wrap: anywhere; }
  .parameters { width: 100%; } .parameters th { white-space: normal; } .parameters code { font-size: 12.5px; }
  .parameters td:first-child { white-space: normal; } .scroll .parameters td, .scroll .parameters th { padding-right: 9px; }
  .parameters .below { display: table-row; }
  .parameters .below td { white-space: normal; border-top: 0; padding: 0 0 7px; color: var(--soft); font-size: 13px; } }
@media print { body { padding: 0; max-width: none; font-size: 12px; background: #fff; color: #000; }
  :root { --ink: #000; --soft: #333; } h2 { margin-top: 20px; break-after: avoid; } tr { break-inside: avoid; }
  .flags, .verdict { background: #fff; border: 1px solid #999; }
  svg, .key, .pixels { print-color-adjust: exact; -webkit-print-color-adjust: exact; } }
)";

std::string paragraph(const std::string& text) {
  return text.empty() ? "" : fmt::format("<p>{}</p>\n", escape_html(text));
}

/// The name of a parameter, which may be broken after its dots.
std::string name_html(std::string_view name) {
  std::string html;
  for (const char c : escape_html(name)) {
    html += c;
    if (c == '.') html += "<wbr>";
  }
  return "<code>" + html + "</code>";
}

std::string cell_html(std::string_view tag, const Report::Column& column, const std::string& text) {
  if (column.place == Place::kJson) return "";
  std::string of_class = column.is_number ? "number" : "";
  if (column.place == Place::kAside) of_class += of_class.empty() ? "aside" : " aside";
  if (!of_class.empty()) of_class = fmt::format(" class=\"{}\"", of_class);
  return fmt::format("<{0}{1}>{2}</{0}>", tag, of_class,
                     column.is_name && tag == "td" ? name_html(text) : escape_html(text));
}

/// The cells that stand aside, for a phone.
std::string below_html(std::span<const Report::Column> columns, std::span<const Report::Cell> row) {
  std::vector<std::string> cells;
  for (std::size_t c = 0; c < row.size(); ++c) {
    if (columns[c].place != Place::kAside || row[c].text.empty()) continue;
    const std::string& name = columns[c].head;
    cells.push_back(name.empty() ? row[c].text : fmt::format("{} {}", name, row[c].text));
  }
  if (cells.empty()) return "";
  return fmt::format("<tr class=\"below\"><td colspan=\"{}\">{}</td></tr>\n", columns.size(),
                     escape_html(fmt::format("{}", fmt::join(cells, "; "))));
}

std::string table_html(const Report::Table& table) {
  if (table.place == Place::kJson) return "";
  if (table.rows.empty()) return paragraph(table.note);
  std::string head, html;
  bool has_heads = false;
  for (const Report::Column& column : table.columns) {
    head += cell_html("th", column, column.head);
    has_heads = has_heads || !column.head.empty();
  }
  html = fmt::format("<div class=\"scroll\"><table class=\"{}\">\n", has_heads ? table.style : "facts");
  if (has_heads) html += fmt::format("<thead><tr>{}</tr></thead>\n", head);
  html += "<tbody>\n";
  for (const std::vector<Report::Cell>& row : table.rows) {
    html += "<tr>";
    for (std::size_t c = 0; c < row.size(); ++c) html += cell_html("td", table.columns[c], row[c].text);
    html += "</tr>\n" + below_html(table.columns, row);
  }
  return html + "</tbody></table></div>\n" + paragraph(table.note);
}

std::string list_html(std::span<const std::string> lines) {
  std::string items;
  for (const std::string& line : lines) items += fmt::format("<li>{}</li>\n", escape_html(line));
  return items.empty() ? "" : fmt::format("<ul class=\"flags\">\n{}</ul>\n", items);
}

std::string text_html(const Report::Text& text) {
  if (text.form == Report::TextForm::kList) return list_html(text.lines);
  std::string html;
  for (const std::string& line : text.lines) {
    html += text.form == Report::TextForm::kCode ? fmt::format("<pre>{}</pre>\n", escape_html(line)) : paragraph(line);
  }
  return html;
}

std::string caption_html(const Report::Figure& figure) {
  std::string html = escape_html(figure.lead);
  for (const Report::Key& key : figure.keys) {
    html += fmt::format("<span class=\"key{}\" style=\"{}:{}\"></span>{}", key.is_stroke ? " stroke" : "",
                        key.is_stroke ? "border-color" : "background", key.color, escape_html(key.text));
  }
  return html + escape_html(figure.caption);
}

std::string figure_html(const Report::Figure& figure) {
  if (figure.picture.empty()) return fmt::format("<p>{}</p>\n", caption_html(figure));
  return fmt::format("<figure>\n{}<figcaption>{}</figcaption>\n</figure>\n", figure.picture, caption_html(figure));
}

/// Common keys first, then figures in rows.
std::string figures_html(const std::vector<Report::Figure>& figures) {
  std::string keys, in_rows;
  std::size_t count = 0;
  for (const Report::Figure& figure : figures) {
    (figure.picture.empty() ? keys : in_rows) += figure_html(figure);
    count += figure.picture.empty() ? 0 : 1;
  }
  if (count == 0) return keys;
  return keys + fmt::format("<div class=\"row{}\">\n{}</div>\n", count == 3 ? " three" : "", in_rows);
}

std::string piece_html(const Report::Piece& piece) {
  if (const auto* table = std::get_if<Report::Table>(&piece)) return table_html(*table);
  if (const auto* figures = std::get_if<Report::Figures>(&piece)) return figures_html((*figures)());
  return text_html(std::get<Report::Text>(piece));
}

std::string section_html(const Report::Section& section) {
  std::string html;
  for (const Report::Piece& piece : section.pieces) html += piece_html(piece);
  const std::string head = escape_html(section.head);
  if (section.is_folded) return fmt::format("<details><summary>{}</summary>{}</details>\n", head, html);
  return head.empty() ? html : fmt::format("<h2>{}</h2>\n{}", head, html);
}

}  // namespace

std::string html_text(const Report& report) {
  std::vector<std::string> findings;
  for (const Finding& finding : report.fit.findings) findings.push_back(finding.text.text());
  std::string body = fmt::format("<p class=\"verdict{}\">{}</p>\n", report.unusable.empty() ? "" : " no",
                                 escape_html(verdict_text(report))) +
                     paragraph(report.intro) + table_html(fact_table(report.summary)) +
                     paragraph(held_out_line(report)) + list_html(findings);
  if (!report.fit.parameters.empty()) body += "<h2>Parameters</h2>\n" + table_html(parameter_table(report));
  for (const Report::Section& section : report.sections) body += section_html(section);
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>{0}</title>\n"
      "<style>{1}</style>\n</head>\n<body>\n<h1>{0}</h1>\n{2}"
      "<p class=\"made\">Made by fathom {3}.</p>\n</body>\n</html>\n",
      escape_html(report.title), kStyle, body, FATHOM_VERSION);
}

}  // namespace fathom
