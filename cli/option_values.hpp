// SPDX-License-Identifier: MIT
#pragma once
// Options with a value. It is read as scene files read theirs: the whole text, decimal, within limits. Every value is
// used or refused. Messages name the option as typed. Only files that parse include this: CLI11 is slow to
// compile.

#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <fathom/core/field.hpp>
#include <fathom/fit/wall.hpp>
#include <fathom/ros/publish.hpp>
#include <fathom/simulate/dataset.hpp>

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

/// "--frames", its "N" in help, and its help text.
struct OptionText {
  std::string name, type, doc;
};

/// The number that the whole of `text` is. Throws fathom::InputError naming the option, the text and the limits.
std::uint64_t parse_whole(const std::string& option, const std::string& text, const WholeLimits& limits);
double parse_number(const std::string& option, const std::string& text, const NumberLimits& limits);
/// The numbers of a list "1,2.5,3".
std::vector<double> parse_numbers(const std::string& option, const std::string& text, const NumberLimits& limits);

/// The value of --camera FX,FY,CX,CY[,BASELINE], in px and m. Without BASELINE it is 0.
fathom::WallSensor::Camera parse_camera(const std::string& text);

/// A text that `read` takes, without a default. Messages of `read` name the option.
CLI::Option& add_parsed(CLI::App& c, const OptionText& text, const std::function<void(const std::string&)>& read);
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

/// Shows the value that the option has when it is not given, if there is one.
template <class T>
CLI::Option& show_default(CLI::Option& option, const T& value) {
  return *option.default_str(fmt::format("{}", value));
}
template <class T>
CLI::Option& show_default(CLI::Option& option, const std::optional<T>& value) {
  return value ? show_default(option, *value) : option;
}

/// Into an integer, or an optional one, whose value is the default; `value` must outlive the parsing.
template <class T>
CLI::Option& add_whole(CLI::App& c, const OptionText& text, const WholeLimits& limits, T& value) {
  const auto set = [&value](std::uint64_t v) { value = static_cast<typename ValueOf<T>::type>(v); };
  return show_default(add_whole_option(c, text, limits, set), value);
}

/// Into a double, or an optional one, whose value is the default.
template <class T>
CLI::Option& add_number(CLI::App& c, const OptionText& text, const NumberLimits& limits, T& value) {
  return show_default(add_number_option(c, text, limits, [&value](double v) { value = v; }), value);
}

/// FIRST:END, the whole numbers from FIRST up to END, which is not one of them. Without a default.
CLI::Option& add_range(CLI::App& c, const std::string& name, const std::string& doc,
                       std::optional<fathom::NumberRange>& value);

/// One of several words; help lists them instead of a type. `set` gets its position. `words` must outlive the
/// parsing.
CLI::Option& add_word_option(CLI::App& c, const std::string& name, const std::string& doc,
                             std::span<const std::string_view> words, const std::function<void(std::size_t)>& set);

/// Into an enum, whose value is the default, or an optional one.
template <class T>
CLI::Option& add_choice(CLI::App& c, const std::string& name, const std::string& doc, T& value,
                        std::span<const std::string_view> words = fathom::kChoiceWords<typename ValueOf<T>::type>) {
  using Enum = typename ValueOf<T>::type;
  CLI::Option& option =
      add_word_option(c, name, doc, words, [&value](std::size_t position) { value = static_cast<Enum>(position); });
  if constexpr (std::is_enum_v<T>) option.default_str(std::string(words[static_cast<std::size_t>(value)]));
  return option;
}

/// What the table of M says of a parameter, with its unit, and its limits.
template <fathom::FieldModel M>
std::string doc_of(std::string_view parameter) {
  const fathom::Field<M> field = fathom::find_field<M>(parameter);
  std::string doc(field.doc);
  const bool has_unit = field.unit != "1" && field.unit.find('|') == std::string_view::npos;
  if (has_unit) doc.insert(std::min(doc.find(';'), doc.size()), ", " + std::string(field.unit));
  return doc;
}
template <fathom::FieldModel M>
NumberLimits limits_of(std::string_view parameter) {
  const fathom::Field<M> field = fathom::find_field<M>(parameter);
  return {field.low, field.high, field.unit};
}

// Options that several commands have.
void add_threads(CLI::App& c, int& threads);
void add_force(CLI::App& c, bool& force, const std::string& doc = "replace the output of an earlier run");
void add_quiet(CLI::App& c, bool& quiet);
CLI::Option& add_json(CLI::App& c, bool& json);
void add_set(CLI::App& c, std::vector<std::string>& set);
void add_seed(CLI::App& c, std::optional<std::uint64_t>& seed);
std::array<CLI::Option*, 2> add_domain(CLI::App& c, fathom::TopicDomain& domain);
CLI::Option& add_scene_file(CLI::App& c, std::filesystem::path& scene);

/// An option that several commands have: one of the table in option_values.cpp.
struct SharedOption {
  std::string_view name, type, doc;
  double low = 0.0, high = 0.0;
  std::string_view unit = "";
};
const SharedOption& shared_option(std::string_view name);

/// Into a text, a number or an integer, or an optional one, whose value is the default.
template <class T>
CLI::Option& add_shared(CLI::App& c, std::string_view name, T& value) {
  const SharedOption& o = shared_option(name);
  const OptionText text = {std::string(o.name), std::string(o.type), std::string(o.doc)};
  using Value = typename ValueOf<T>::type;
  if constexpr (std::is_integral_v<Value>) {
    return add_whole(c, text, {static_cast<std::uint64_t>(o.low), static_cast<std::uint64_t>(o.high)}, value);
  } else if constexpr (std::is_floating_point_v<Value>) {
    return add_number(c, text, {o.low, o.high, o.unit}, value);
  } else {
    return *c.add_option(text.name, value, text.doc)->type_name(text.type);
  }
}

/// A value for each time that the option is given.
template <class T>
CLI::Option& add_repeated(CLI::App& c, const OptionText& text, std::vector<T>& values) {
  return *c.add_option(text.name, values, text.doc + "; may be repeated")
              ->type_name(text.type)
              ->expected(1)
              ->take_all()
              ->allow_extra_args(false);
}

}  // namespace fathom_cli
