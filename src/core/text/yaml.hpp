// SPDX-License-Identifier: MIT
#pragma once
// A YAML text as a plain tree in which every value knows where it was written.

#include <array>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <new>
#include <optional>
#include <set>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fathom/core/error.hpp>
#include <fathom/core/geometry.hpp>

namespace fathom {

/// Limits against files made to exhaust memory or the stack.
inline constexpr std::size_t kMaxYamlBytes = std::size_t{16} << 20U;  ///< length of the text
inline constexpr std::size_t kMaxYamlDepth = 64;                      ///< nesting of lists and maps
inline constexpr std::size_t kMaxYamlValues = 2'000'000;              ///< values, with aliases replaced by copies

/// The place of a value: "house.yaml:12:7", or "--set frames=3" for a value from an option.
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

  [[nodiscard]] const YamlValue* find(std::string_view key) const;  ///< null if this is no map or lacks the key
  [[nodiscard]] YamlValue* find(std::string_view key);
};

struct YamlEntry {
  std::string key;
  YamlMark mark;  ///< of the key
  YamlValue value;
};

/// Reads one YAML document. `source` names the text in messages. Throws InputError for text that is not YAML, duplicate
/// keys, tags, keys that are not scalars, control characters, and above the limits.
YamlValue parse_yaml(std::string_view text, const std::string& source);

/// The text of a YAML file. Throws InputError, for a huge file before loading it.
std::string read_yaml_text(const std::filesystem::path& file);

// Reading values from a YAML tree. Each error names the place, the key and the limits:
// "house.yaml:12:7: sensors.lidar.rate_hz = -1 is not in [0.001, 1000] Hz".

/// Closed limits and their unit.
struct Limits {
  double low, high;
  std::string_view unit;
};

/// An InputError whose message names the place.
class LocatedError final : public InputError {
 public:
  using InputError::InputError;
};

/// A value of the tree with its path ("sensors.lidar.noise"). A map remembers the requested keys, so that finish() can
/// refuse the others: each key of a file is used or refused, never ignored.
class YamlReader {
 public:
  /// Called before each number; may throw by fail().
  using CheckNumber = void (*)(const YamlReader& number);

  /// The whole file. `check_number` may be null.
  explicit YamlReader(const YamlValue& root, CheckNumber check_number = nullptr)
      : value_(&root), check_number_(check_number) {}

  [[nodiscard]] const YamlValue& value() const { return *value_; }
  [[nodiscard]] const std::string& path() const { return path_; }
  /// The begin of messages: "s.yaml:12:7: sensors.lidar.rate_hz".
  [[nodiscard]] std::string place() const { return to_string(value_->mark) + ": " + path_; }
  [[nodiscard]] bool is(YamlValue::Kind kind) const { return value_->kind == kind; }
  [[nodiscard]] const std::string& key() const { return key_; }  ///< the last part of the path

  // Maps. An absent value is a map without keys.
  [[nodiscard]] YamlReader at(std::string_view key);                   ///< throws if the key is missing
  [[nodiscard]] std::optional<YamlReader> find(std::string_view key);  ///< the value, unless missing
  /// Throws for the first key that was not requested, naming the nearest requested one. `refused`: requested keys that
  /// no message names.
  void finish(std::span<const std::string_view> refused = {}) const;
  /// A line for each key that was not requested: "map.yaml:7:1: mode_ is not a known key (nearest known: 'mode')".
  [[nodiscard]] std::vector<std::string> unread() const;
  /// "; is 'prset' meant to be 'preset'?" if a key that was not requested resembles an absent requested key; else
  /// empty.
  [[nodiscard]] std::string slip_hint() const;
  /// All entries in the order of the file; all count as requested.
  [[nodiscard]] std::vector<YamlReader> entries();

  // Lists. The path of an entry ends with entry_name(), or with its position.
  [[nodiscard]] std::vector<YamlReader> items() const;

  /// The value of a map of one key, as in lists of noise and outputs; its path does not repeat the key.
  [[nodiscard]] YamlReader only() const;

  // Scalars.
  [[nodiscard]] const std::string& text() const;
  [[nodiscard]] bool boolean() const;  ///< true or false, on or off
  [[nodiscard]] double number(Limits limits) const;
  [[nodiscard]] double number() const;  ///< finite
  [[nodiscard]] std::uint64_t whole(std::uint64_t low, std::uint64_t high) const;
  [[nodiscard]] std::uint64_t key_number(std::uint64_t high) const;  ///< the key as a number, at most `high`
  /// The position of the word in `words`.
  [[nodiscard]] std::size_t one_of(std::span<const std::string_view> words) const;

  // Lists of numbers.
  [[nodiscard]] std::vector<double> numbers(Limits limits) const;
  [[nodiscard]] std::vector<double> numbers() const;                   ///< finite
  [[nodiscard]] std::vector<double> numbers(std::size_t count) const;  ///< finite, exactly `count`
  [[nodiscard]] std::vector<double> numbers(std::size_t count, Limits limits) const;
  [[nodiscard]] Vec3 vector() const;               ///< [x, y, z]
  [[nodiscard]] Vec3 vector(Limits limits) const;  ///< each within the limits

  /// Throws InputError "where: path = value <message>".
  [[noreturn]] void fail(std::string_view message) const;
  /// The message of fail().
  [[nodiscard]] std::string line(std::string_view message) const;
  /// Throws InputError "where: path <message>", for a wrong key.
  [[noreturn]] void fail_key(std::string_view message) const;
  /// Calls f(). Its InputErrors and a lack of memory get the place and the path in front.
  template <class F>
  auto located(F&& f) const -> decltype(f()) {
    try {
      return std::forward<F>(f)();
    } catch (const LocatedError&) {
      throw;
    } catch (const InputError& error) {
      throw LocatedError(place(), ": ", error.message());
    } catch (const std::bad_alloc&) {
      throw SystemError(place() + ": this does not fit into memory");
    } catch (const std::length_error&) {
      throw SystemError(place() + ": this does not fit into memory");
    }
  }

 private:
  YamlReader(const YamlValue& value, std::string path, std::string_view key, CheckNumber check_number)
      : value_(&value), path_(std::move(path)), key_(key), check_number_(check_number) {}

  void require_kind(YamlValue::Kind kind, std::string_view name) const;
  void require_count(std::size_t count) const;
  [[nodiscard]] std::string unknown(const YamlEntry& entry, std::span<const std::string_view> known) const;
  [[nodiscard]] YamlReader child(const YamlValue& value, std::string_view key) const;

  const YamlValue* value_;
  std::string path_, key_;
  CheckNumber check_number_ = nullptr;
  std::set<std::string, std::less<>> asked_;
};

/// The kinds of YAML files that fathom reads.
enum class YamlFileKind : std::uint8_t { kScene, kMap, kBeamModel };

/// Throws InputError if the file is clearly of another kind than the wanted one; the message names its kind.
void refuse_other_kind(const YamlValue& root, YamlFileKind wanted);

/// The name of a list entry in paths: its `name`, or the only key of a map whose value is a map; else nothing.
std::optional<std::string> entry_name(const YamlValue& entry);

}  // namespace fathom
