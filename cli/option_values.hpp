// SPDX-License-Identifier: MIT
#pragma once
// Options with a value. It is read as scene files read theirs: the whole text, decimal, within limits; what is said is
// used or refused. Messages name the option as it is typed. Only files that parse include this: CLI11 is slow to
// compile.

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include <CLI/CLI.hpp>

namespace fathom_cli {

/// Closed limits and the unit they are in.
template <class T>
struct OptionLimits {
  T low, high;
  std::string_view unit = "";
};
using WholeLimits = OptionLimits<std::uint64_t>;
using NumberLimits = OptionLimits<double>;

inline constexpr WholeLimits kAnySeed = {0, std::numeric_limits<std::uint64_t>::max()};
inline constexpr WholeLimits kAnyIndex = {0, std::numeric_limits<std::uint32_t>::max()};

/// "--frames", its "N" in help, and what it does.
struct OptionText {
  std::string name, type, doc;
};

/// The number that the whole of `text` is. Throws fathom::InputError naming the option, the text and the limits.
std::uint64_t parse_whole(const std::string& option, const std::string& text, const WholeLimits& limits);
double parse_number(const std::string& option, const std::string& text, const NumberLimits& limits);

CLI::Option& add_whole_option(CLI::App& c, const OptionText& text, const WholeLimits& limits,
                              const std::function<void(std::uint64_t)>& set);
CLI::Option& add_number_option(CLI::App& c, const OptionText& text, const NumberLimits& limits,
                               const std::function<void(double)>& set);

template <class T>
struct ValueOf {
  using type = T;
};
template <class T>
struct ValueOf<std::optional<T>> {
  using type = T;
};

/// Into an integer, or an optional one; `value` must outlive the parsing.
template <class T>
CLI::Option& add_whole(CLI::App& c, const OptionText& text, const WholeLimits& limits, T& value) {
  return add_whole_option(c, text, limits,
                          [&value](std::uint64_t v) { value = static_cast<typename ValueOf<T>::type>(v); });
}

/// Into a double, or an optional one.
template <class T>
CLI::Option& add_number(CLI::App& c, const OptionText& text, const NumberLimits& limits, T& value) {
  return add_number_option(c, text, limits, [&value](double v) { value = v; });
}

/// One of several words, which stand in help in place of a type. `words` must outlive the parsing.
CLI::Option& add_word(CLI::App& c, const std::string& name, const std::string& doc,
                      std::span<const std::string_view> words, std::string& value);

// Options that several commands have.
void add_threads(CLI::App& c, int& threads);
void add_force(CLI::App& c, bool& force, const std::string& doc = "replace what is there from an earlier run");
void add_quiet(CLI::App& c, bool& quiet);

}  // namespace fathom_cli
