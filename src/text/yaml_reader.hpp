// SPDX-License-Identifier: MIT
#pragma once
// Reads values out of a YAML tree so that every complaint names where the value stands, its key and what is allowed:
// "house.yaml:12:7: sensors.lidar.rate_hz = -1 is not in [0.001, 1000] Hz".

#include <array>
#include <cstdint>
#include <new>
#include <optional>
#include <set>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fathom/base/error.hpp>
#include <fathom/base/geometry.hpp>

#include "text/yaml_tree.hpp"

namespace fathom {

/// Closed limits and the unit they are in.
struct Limits {
  double low, high;
  std::string_view unit;
};

/// An InputError whose message already names the place.
class LocatedError final : public InputError {
 public:
  using InputError::InputError;
};

/// A value of the tree together with its path ("sensors.lidar.noise"). A map remembers which keys were asked for, so
/// that finish() can complain about the others: what a file says is used or refused, never ignored.
class YamlReader {
 public:
  /// Called before a number is read; may throw by fail().
  using CheckNumber = void (*)(const YamlReader& number);

  /// The whole file. `check_number` is for every number in it; null: none.
  explicit YamlReader(const YamlValue& root, CheckNumber check_number = nullptr)
      : value_(&root), check_number_(check_number) {}

  [[nodiscard]] const YamlValue& value() const { return *value_; }
  [[nodiscard]] const std::string& path() const { return path_; }
  /// "s.yaml:12:7: sensors.lidar.rate_hz", as messages begin.
  [[nodiscard]] std::string place() const { return to_string(value_->mark) + ": " + path_; }
  [[nodiscard]] bool is(YamlValue::Kind kind) const { return value_->kind == kind; }
  [[nodiscard]] const std::string& key() const { return key_; }  ///< the last part of the path

  // Maps. Nothing at all counts as a map without keys.
  [[nodiscard]] YamlReader at(std::string_view key);                   ///< throws when the key is missing
  [[nodiscard]] std::optional<YamlReader> find(std::string_view key);  ///< the value, unless missing
  /// Throws for the first key that was not asked for, naming the nearest one that was; `refused`: keys that were asked
  /// for only to be refused, which are not named.
  void finish(std::span<const std::string_view> refused = {}) const;
  /// A line for each key that was not asked for: "map.yaml:7:1: mode_ is not a known key (nearest known: 'mode')".
  [[nodiscard]] std::vector<std::string> unread() const;
  /// "; is 'prset' meant to be 'preset'?" for a key that was not asked for and resembles an absent key that was; else
  /// empty.
  [[nodiscard]] std::string slip_hint() const;
  /// All entries, in the order of the file; all count as asked for.
  [[nodiscard]] std::vector<YamlReader> entries();

  // Lists. The path of an entry is as entry_name() says, else its position.
  [[nodiscard]] std::vector<YamlReader> items() const;

  /// The value of a map of one key, as noise and outputs list them; its path does not repeat the key.
  [[nodiscard]] YamlReader only() const;

  // Scalars.
  [[nodiscard]] const std::string& text() const;
  [[nodiscard]] bool boolean() const;  ///< true or false; on and off are the same
  [[nodiscard]] double number(Limits limits) const;
  [[nodiscard]] double number() const;  ///< finite
  [[nodiscard]] std::uint64_t whole(std::uint64_t low, std::uint64_t high) const;
  [[nodiscard]] std::uint64_t key_number(std::uint64_t high) const;  ///< the last part of the path, at most `high`
  /// The position of the word in `words`.
  [[nodiscard]] std::size_t one_of(std::span<const std::string_view> words) const;

  // Lists of numbers.
  [[nodiscard]] std::vector<double> numbers(Limits limits) const;
  [[nodiscard]] std::vector<double> numbers() const;                   ///< finite
  [[nodiscard]] std::vector<double> numbers(std::size_t count) const;  ///< finite, exactly so many
  [[nodiscard]] std::vector<double> numbers(std::size_t count, Limits limits) const;
  [[nodiscard]] Vec3 vector() const;               ///< [x, y, z]
  [[nodiscard]] Vec3 vector(Limits limits) const;  ///< each within the limits

  /// Throws InputError "where: path = value <message>".
  [[noreturn]] void fail(std::string_view message) const;
  /// What fail() says.
  [[nodiscard]] std::string line(std::string_view message) const;
  /// Throws InputError "where: path <message>", for a key that is wrong whatever its value.
  [[noreturn]] void fail_key(std::string_view message) const;
  /// Calls f; what it throws as InputError gets the place and the path in front, and so does a lack of memory.
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

/// The kinds of YAML file that fathom reads.
enum class YamlFileKind : std::uint8_t { kScene, kMap, kBeamModel };

/// Throws InputError, saying what the file is, when it is plainly of another kind than the one wanted.
void refuse_other_kind(const YamlValue& root, YamlFileKind wanted);

/// How an entry of a list is called in paths: its `name`, or the only key of a map whose value is a map; else nothing.
std::optional<std::string> entry_name(const YamlValue& entry);

}  // namespace fathom
