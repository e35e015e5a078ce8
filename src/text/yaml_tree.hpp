// SPDX-License-Identifier: MIT
#pragma once
// A YAML text as a plain tree in which every value knows where it was written.

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace fathom {

/// Limits of what is read, against files made to exhaust memory or the stack.
inline constexpr std::size_t kMaxYamlBytes = std::size_t{16} << 20U;  ///< length of the text
inline constexpr std::size_t kMaxYamlDepth = 64;                      ///< nesting of lists and maps
inline constexpr std::size_t kMaxYamlValues = 2'000'000;              ///< values, after aliases are replaced by copies

/// Where a value was written: "house.yaml:12:7", or "--set frames=3" for a value that came from there.
struct YamlMark {
  std::shared_ptr<const std::string> source;
  std::uint32_t line = 0, column = 0;  ///< from 1; 0: the source has no lines
};
std::string to_string(const YamlMark& mark);

struct YamlEntry;

/// A value: nothing, a scalar, a list or a map. Maps keep the order of the file and have no duplicate keys.
struct YamlValue {
  enum class Kind : std::uint8_t { kNull, kScalar, kList, kMap };

  Kind kind = Kind::kNull;
  YamlMark mark;
  std::string text;                ///< of a scalar
  std::vector<YamlValue> items;    ///< of a list
  std::vector<YamlEntry> entries;  ///< of a map

  [[nodiscard]] const YamlValue* find(std::string_view key) const;  ///< null when this is no map or lacks the key
  [[nodiscard]] YamlValue* find(std::string_view key);
};

struct YamlEntry {
  std::string key;
  YamlMark mark;  ///< of the key
  YamlValue value;
};

/// Reads one YAML document. `source` names the text in messages. Throws InputError for what is not YAML, for duplicate
/// keys, tags, keys that are not scalars, control characters, and above the limits.
YamlValue parse_yaml(std::string_view text, const std::string& source);

/// The text of a YAML file. Its size is looked at first, so that a huge file is not even loaded. Throws InputError.
std::string read_yaml_text(const std::filesystem::path& file);

}  // namespace fathom
