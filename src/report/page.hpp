// SPDX-License-Identifier: MIT
#pragma once
// What pages of results have in common: they are one file each, and readable on a phone.

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fathom {

/// The whole document. `title` and `heading` are HTML; `style`: what the page needs beside the common style sheet,
/// which has the classes of plots.
std::string html_page(std::string_view title, std::string_view heading, std::string_view body,
                      std::string_view style = "");

/// A number in a form of fmt; a dash for what is not known.
std::string text_or_dash(double value, std::string_view form);

/// 1234567 as "1 234 567", with narrow blanks that do not break.
std::string group_digits(std::size_t value);

/// What is not known of scans that were held out; text, and nothing where there is none.
std::string held_out_html(std::string_view note);

/// The name of a parameter as HTML, which may be broken after its dots.
std::string name_html(std::string_view name);

/// A column of a table. Beside the others a phone has no room for those that are `aside`: there they stand in a line
/// below, each after its name.
struct TableColumn {
  std::string head;  ///< text; empty: the values say what they are
  bool is_number = true;
  bool is_aside = false;
};

/// A table of texts, a text for each column in each row. The line below leaves out what is empty.
std::string table_html(std::span<const TableColumn> columns, std::span<const std::vector<std::string>> rows);

/// A list of notes, of which some may be; text.
std::string flags_html(std::span<const std::string> flags);

/// A key of a caption: a patch, or a stroke. `color`: as CSS has it.
std::string patch(std::string_view color, std::string_view text);
std::string stroke(std::string_view color, std::string_view text);

/// A picture, which is HTML, with a caption, which is HTML too.
std::string figure(const std::string& picture, std::string_view caption);

/// A number in a frame, with its name below.
std::string tile(std::string_view value, std::string_view name);

}  // namespace fathom
