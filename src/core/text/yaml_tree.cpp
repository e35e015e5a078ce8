// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cstdlib>
#include <sstream>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <fathom/core/error.hpp>

#include "core/text/files.hpp"
#include "core/text/text_lines.hpp"
#include "core/text/yaml.hpp"

namespace fathom {

namespace {

/// The number of values in a tree, including the root.
std::size_t count_values(const YamlValue& value) {
  std::size_t count = 1;
  for (const YamlValue& item : value.items) count += count_values(item);
  for (const YamlEntry& entry : value.entries) count += count_values(entry.value);
  return count;
}

std::size_t depth_of(const YamlValue& value) {
  std::size_t deepest = 0;
  for (const YamlValue& item : value.items) deepest = std::max(deepest, 1 + depth_of(item));
  for (const YamlEntry& entry : value.entries) deepest = std::max(deepest, 1 + depth_of(entry.value));
  return deepest;
}

/// Builds the tree from yaml-cpp's events; aliases become copies. It throws inside an event, before the parser recurses
/// further, and so bounds the stack of the parser.
class TreeBuilder : public YAML::EventHandler {
 public:
  explicit TreeBuilder(std::shared_ptr<const std::string> source) : source_(std::move(source)) {}

  YamlValue take() { return std::move(root_); }

  void OnDocumentStart(const YAML::Mark& /*mark*/) override {}
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    add(make(YamlValue::Kind::kNull, mark, ""), anchor);
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& text) override {
    YamlValue value = make(YamlValue::Kind::kScalar, mark, tag);
    value.text = text;
    // yaml-cpp reports only an absent value as null, and the words for null as plain scalars.
    if (tag == "?" && (text == "~" || text == "null")) value.kind = YamlValue::Kind::kNull;
    add(std::move(value), anchor);
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const auto found = anchors_.find(anchor);
    if (found == anchors_.end()) fail(mark, "an alias inside its own anchor never ends");
    count(mark, count_values(found->second));
    if (open_.size() + depth_of(found->second) > kMaxYamlDepth) fail_depth(mark);
    add(found->second, YAML::NullAnchor);
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value /*style*/) override {
    open(make(YamlValue::Kind::kList, mark, tag), mark, anchor);
  }

  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value /*style*/) override {
    open(make(YamlValue::Kind::kMap, mark, tag), mark, anchor);
  }

  void OnSequenceEnd() override { close(); }
  void OnMapEnd() override { close(); }

 private:
  /// A list or map before its end.
  struct Open {
    YamlValue value;
    YAML::anchor_t anchor;
    bool has_key = false;                  // of a map: the next event is the value of the last key
    std::unordered_set<std::string> keys;  // of a map: searching its entries would take quadratic time
  };

  [[nodiscard]] YamlMark mark_of(const YAML::Mark& mark) const {
    return {source_, static_cast<std::uint32_t>(mark.line + 1), static_cast<std::uint32_t>(mark.column + 1)};
  }

  [[noreturn]] void fail(const YAML::Mark& mark, const std::string& message) const {
    throw InputError(fmt::format("{}: {}", to_string(mark_of(mark)), message));
  }

  [[noreturn]] void fail_depth(const YAML::Mark& mark) const {
    fail(mark, fmt::format("lists and maps are nested more than {} deep", kMaxYamlDepth));
  }

  void count(const YAML::Mark& mark, std::size_t more) {
    values_ += more;
    if (values_ > kMaxYamlValues) fail(mark, fmt::format("more than {} values, aliases counted", kMaxYamlValues));
  }

  YamlValue make(YamlValue::Kind kind, const YAML::Mark& mark, const std::string& tag) {
    if (!tag.empty() && tag != "?" && tag != "!") fail(mark, fmt::format("the YAML tag '{}' has no meaning here", tag));
    count(mark, 1);
    YamlValue value;
    value.kind = kind;
    value.mark = mark_of(mark);
    return value;
  }

  void open(YamlValue value, const YAML::Mark& mark, YAML::anchor_t anchor) {
    if (open_.size() >= kMaxYamlDepth) fail_depth(mark);
    open_.push_back({std::move(value), anchor, false, {}});
  }

  void close() {
    Open done = std::move(open_.back());
    open_.pop_back();
    add(std::move(done.value), done.anchor);
  }

  void add(YamlValue value, YAML::anchor_t anchor) {
    if (anchor != YAML::NullAnchor) anchors_[anchor] = value;
    if (open_.empty()) {
      root_ = std::move(value);
    } else if (Open& parent = open_.back(); parent.value.kind == YamlValue::Kind::kList) {
      parent.value.items.push_back(std::move(value));
    } else if (parent.has_key) {
      parent.value.entries.back().value = std::move(value);
      parent.has_key = false;
    } else {
      add_key(parent, value);
    }
  }

  static void add_key(Open& map, const YamlValue& key) {
    if (key.kind != YamlValue::Kind::kScalar) {
      throw InputError(to_string(key.mark) + ": a key must be a word or a number");
    }
    if (!map.keys.insert(key.text).second) {
      const YamlValue* first = std::as_const(map.value).find(key.text);
      throw InputError(fmt::format("{}: the key '{}' is there twice; the first is on line {}", to_string(key.mark),
                                   key.text, first->mark.line));
    }
    map.value.entries.push_back({key.text, key.mark, {}});
    map.has_key = true;
  }

  std::shared_ptr<const std::string> source_;
  std::vector<Open> open_;
  std::unordered_map<YAML::anchor_t, YamlValue> anchors_;
  std::size_t values_ = 0;
  YamlValue root_;
};

/// Refuses control characters: yaml-cpp takes byte 4 for the end of the file, and others for parts of UTF-16.
void check_characters(std::string_view text, const std::shared_ptr<const std::string>& source) {
  if (text.size() > kMaxYamlBytes) {
    throw InputError(fmt::format("{}: {} bytes, above the limit of {}", *source, text.size(), kMaxYamlBytes));
  }
  if (text.find('\n') == std::string_view::npos && text.find('\r') < text.size() - 1) {
    throw InputError(fmt::format("{}: its lines end in CR alone; save it with LF or CR LF", *source));
  }
  YamlMark mark{source, 1, 1};
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if ((byte < 0x20 && c != '\t' && c != '\n' && c != '\r') || byte == 0x7f) {
      throw InputError(
          fmt::format("{}: the control character 0x{:02x}; is this a text file in UTF-8?", to_string(mark), byte));
    }
    ++mark.column;
    if (c == '\n') ++mark.line, mark.column = 1;
  }
}

/// The number, from 1, of a line indented with a tab near the line of a YAML error, or 0. The message of yaml-cpp does
/// not name a tab as the cause.
std::uint32_t line_with_tab(std::string_view text, int broke_on) {
  std::uint32_t found = 0;
  for_each_line(text, [&](std::size_t number, std::string_view line) {
    const bool near = std::abs(static_cast<std::ptrdiff_t>(number) - 1 - broke_on) <= 1;
    const std::string_view indent = line.substr(0, line.find_first_not_of(" \t"));
    if (found == 0 && near && indent.find('\t') != std::string_view::npos) found = static_cast<std::uint32_t>(number);
  });
  return found;
}

}  // namespace

std::string to_string(const YamlMark& mark) {
  if (mark.line == 0) return *mark.source;
  return fmt::format("{}:{}:{}", *mark.source, mark.line, mark.column);
}

const YamlValue* YamlValue::find(std::string_view key) const {
  const auto found = std::find_if(entries.begin(), entries.end(), [&](const YamlEntry& e) { return e.key == key; });
  return found == entries.end() ? nullptr : &found->value;
}

YamlValue* YamlValue::find(std::string_view key) { return const_cast<YamlValue*>(std::as_const(*this).find(key)); }

YamlValue parse_yaml(std::string_view text, const std::string& source) {
  const auto shared_source = std::make_shared<const std::string>(source);
  check_characters(text, shared_source);
  std::istringstream stream{std::string(text)};
  try {
    YAML::Parser parser(stream);
    TreeBuilder builder(shared_source);
    YamlValue root;
    root.mark = {shared_source, 1, 1};
    if (!parser.HandleNextDocument(builder)) return root;
    root = builder.take();
    TreeBuilder second(shared_source);
    if (parser.HandleNextDocument(second)) {
      throw InputError(
          fmt::format("{}: a second document (---) begins; only one is read", to_string(second.take().mark)));
    }
    return root;
  } catch (const YAML::Exception& error) {
    if (const std::uint32_t line = line_with_tab(text, error.mark.line); line > 0) {
      throw InputError(fmt::format("{}:{}: the line begins with a tab; YAML indents with blanks", source, line));
    }
    const YamlMark mark{shared_source, static_cast<std::uint32_t>(error.mark.line + 1),
                        static_cast<std::uint32_t>(error.mark.column + 1)};
    throw InputError(fmt::format("{}: not YAML: {}", to_string(mark), error.msg));
  }
}

std::string read_yaml_text(const std::filesystem::path& file) {
  require_readable_file(file);
  std::error_code error;
  if (const auto size = std::filesystem::file_size(file, error); !error && size > kMaxYamlBytes) {
    throw InputError(fmt::format("{}: {} bytes, above the limit of {}", file.string(), size, kMaxYamlBytes));
  }
  std::string text = read_file(file);
  refuse_robot_description(text, file.string());
  return text;
}

}  // namespace fathom
