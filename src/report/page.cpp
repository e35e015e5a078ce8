// SPDX-License-Identifier: MIT
#include "report/page.hpp"

#include <fmt/format.h>

#include "report/plot.hpp"

namespace fathom {

namespace {

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
td.number, th.number { text-align: right; }
code { font: 13.5px/1.4 ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace; }
.head { display: flex; flex-wrap: wrap; gap: 28px 56px; margin-top: 20px; }
.facts td:first-child { color: var(--soft); }
.tiles { display: flex; flex-wrap: wrap; gap: 12px; margin: 18px 0 4px; }
.tile { border: 1px solid #dde3e9; border-radius: 8px; padding: 10px 18px 8px; min-width: 150px; }
.tile b { display: block; font-size: 23px; font-weight: 600; font-variant-numeric: tabular-nums; }
.tile span { color: var(--soft); font-size: 13px; }
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
.narrow, .below { display: none; }
.made { margin-top: 36px; font-size: 13px; }
@media (max-width: 760px) { .row, .row.three { grid-template-columns: 1fr; } .wide { display: none; }
  .narrow { display: block; } body { padding: 20px 16px 32px; } .row:not(.three) svg text { font-size: 13px; }
  figcaption { margin-bottom: 14px; } .tile { flex: 1 1 40%; min-width: 0; } .head, .row > * { min-width: 0; }
  .scroll td, .scroll th { white-space: nowrap; padding-right: 12px; } .aside { display: none; }
  .facts td:last-child { white-space: normal; overflow-wrap: anywhere; }
  .parameters { width: 100%; } .parameters th { white-space: normal; } .parameters code { font-size: 12.5px; }
  .parameters td:first-child { white-space: normal; } .scroll .parameters td, .scroll .parameters th { padding-right: 9px; }
  .parameters .below { display: table-row; }
  .parameters .below td { white-space: normal; border-top: 0; padding: 0 0 7px; color: var(--soft); font-size: 13px; } }
@media print { body { padding: 0; max-width: none; font-size: 12px; } h2 { margin-top: 20px; break-after: avoid; }
  * { print-color-adjust: exact; -webkit-print-color-adjust: exact; } }
)";

}  // namespace

std::string html_page(std::string_view title, std::string_view heading, std::string_view body, std::string_view style) {
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>{}</title>\n"
      "<style>{}{}</style>\n</head>\n<body>\n<h1>{}</h1>\n{}"
      "<p class=\"made\">Made by fathom {}.</p>\n</body>\n</html>\n",
      title, kStyle, style, heading, body, FATHOM_VERSION);
}

std::string text_or_dash(double value, std::string_view form) {
  return std::isfinite(value) ? fmt::format(fmt::runtime(form), value) : "–";
}

std::string group_digits(std::size_t value) {
  std::string text = std::to_string(value);
  for (std::size_t at = text.size(); at > 3;) text.insert(at -= 3, "\u202f");
  return text;
}

std::string held_out_html(std::string_view note) {
  return note.empty() ? "" : fmt::format("<p>Held out: {}.</p>\n", escape_html(note));
}

std::string name_html(std::string_view name) {
  std::string html;
  for (const char c : escape_html(name)) {
    html += c;
    if (c == '.') html += "<wbr>";
  }
  return html;
}

namespace {

std::string cell_html(std::string_view tag, const TableColumn& column, std::string_view text) {
  std::string of_class = column.is_number ? "number" : "";
  if (column.is_aside) of_class += of_class.empty() ? "aside" : " aside";
  if (!of_class.empty()) of_class = fmt::format(" class=\"{}\"", of_class);
  return fmt::format("<{0}{1}>{2}</{0}>", tag, of_class, escape_html(text));
}

/// The cells that stand aside, for a phone.
std::string below_html(std::span<const TableColumn> columns, std::span<const std::string> row) {
  std::vector<std::string> cells;
  for (std::size_t c = 0; c < columns.size(); ++c) {
    if (!columns[c].is_aside || row[c].empty()) continue;
    const std::string& name = columns[c].head;
    cells.push_back(name.empty() ? row[c] : fmt::format("{} {}", name, row[c]));
  }
  if (cells.empty()) return "";
  return fmt::format("<tr class=\"below\"><td colspan=\"{}\">{}</td></tr>\n", columns.size(),
                     escape_html(fmt::format("{}", fmt::join(cells, "; "))));
}

}  // namespace

std::string table_html(std::span<const TableColumn> columns, std::span<const std::vector<std::string>> rows) {
  std::string html = "<div class=\"scroll\"><table class=\"parameters\">\n<thead><tr>";
  for (const TableColumn& column : columns) html += cell_html("th", column, column.head);
  html += "</tr></thead>\n<tbody>\n";
  for (const std::vector<std::string>& row : rows) {
    html += "<tr>";
    for (std::size_t c = 0; c < columns.size(); ++c) html += cell_html("td", columns[c], row[c]);
    html += "</tr>\n" + below_html(columns, row);
  }
  return html + "</tbody></table></div>\n";
}

std::string flags_html(std::span<const std::string> flags) {
  std::string items;
  for (const std::string& flag : flags) items += fmt::format("<li>{}</li>\n", escape_html(flag));
  return items.empty() ? "" : fmt::format("<ul class=\"flags\">\n{}</ul>\n", items);
}

std::string patch(std::string_view color, std::string_view text) {
  return fmt::format("<span class=\"key\" style=\"background:{}\"></span>{}", color, text);
}
std::string stroke(std::string_view color, std::string_view text) {
  return fmt::format("<span class=\"key stroke\" style=\"border-color:{}\"></span>{}", color, text);
}

std::string figure(const std::string& svg, std::string_view caption) {
  return fmt::format("<figure>\n{}<figcaption>{}</figcaption>\n</figure>\n", svg, caption);
}

std::string tile(std::string_view value, std::string_view name) {
  return fmt::format("<div class=\"tile\"><b>{}</b><span>{}</span></div>\n", value, name);
}

}  // namespace fathom
