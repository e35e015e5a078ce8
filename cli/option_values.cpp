// SPDX-License-Identifier: MIT
#include "option_values.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include <fmt/format.h>

#include <fathom/core/compute.hpp>
#include <fathom/core/error.hpp>
#include <fathom/core/names.hpp>
#include <fathom/files/pictures.hpp>

namespace fathom_cli {
namespace {

constexpr std::size_t kMostShown = 60;

/// A value as a message shows it.
std::string shown(const std::string& text) {
  return text.size() > kMostShown ? text.substr(0, kMostShown) + "..." : text;
}

/// The number that the whole text is; from_chars knows no leading plus.
template <class T>
std::optional<T> parse_text(std::string_view text) {
  if (text.size() > 1 && text.front() == '+' && text[1] != '-') text.remove_prefix(1);
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

[[noreturn]] void fail(const std::string& option, const std::string& text, const std::string& what) {
  throw fathom::InputError(fmt::format("{} = {} is not {}", option, shown(text), what));
}

template <class T>
std::string limits_text(const OptionLimits<T>& limits) {
  return fmt::format("[{}, {}]{}{}", limits.low, limits.high, limits.unit.empty() ? "" : " ", limits.unit);
}

constexpr std::array kSharedOptions = {
    SharedOption{"--files", "PATTERN",
                 "images or clouds to take, with * and ?; default: depth*.npy, else .png, .pfm or .exr, else all of "
                 "one format"},
    SharedOption{"--hold-out", "N", "every N-th frame judges and teaches nothing; 0: none", 0, 1e6},
    SharedOption{"--max-returns", "N", "of all frames; more are thinned out at random", 1000, 1e9},
    SharedOption{"--levels-per-m", "N", "levels per metre of 16-bit images; default: 1000", fathom::kLeastLevelsPerM,
                 fathom::kMostLevelsPerM, "1/m"},
    SharedOption{"--scans", "WHICH", "of a log: all, odd, even or START:STOP:STEP"},
    SharedOption{"--step", "M", "of a log: ranges are multiples of it; 0: not rounded", 0, 1, "m"}};

/// The doc with its limits, but without limits that only repeat the type.
std::string doc_with_limits(const OptionText& text, const WholeLimits& limits) {
  if (limits.high >= kAnyIndex.high) return text.doc;
  return fmt::format("{} ({} to {})", text.doc, limits.low, limits.high);
}

}  // namespace

std::uint64_t parse_whole(const std::string& option, const std::string& text, const WholeLimits& limits) {
  const auto value = parse_text<std::uint64_t>(text);
  if (!value || !(*value >= limits.low && *value <= limits.high)) {
    fail(option, text, "a whole number in " + limits_text(limits));
  }
  return *value;
}

double parse_number(const std::string& option, const std::string& text, const NumberLimits& limits) {
  const auto value = parse_text<double>(text);
  if (!value) fail(option, text, "a number");
  if (!(*value >= limits.low && *value <= limits.high)) fail(option, text, "in " + limits_text(limits));
  return *value;
}

std::vector<double> parse_numbers(const std::string& option, const std::string& text, const NumberLimits& limits) {
  std::vector<double> numbers;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    numbers.push_back(parse_number(option, text.substr(begin, end - begin), limits));
    begin = end + 1;
  }
  return numbers;
}

fathom::WallSensor::Camera parse_camera(const std::string& text) {
  const std::vector<double> numbers = parse_numbers("--camera", text, {-1e7, 1e7});
  if (numbers.size() != 4 && numbers.size() != 5) {
    throw fathom::InputError(fmt::format(
        "--camera has {} numbers: it is FX,FY,CX,CY, in px, and of a stereo camera BASELINE, in m", numbers.size()));
  }
  for (const std::size_t k : {std::size_t{0}, std::size_t{1}}) {
    if (!(numbers[k] > 0.0)) throw fathom::InputError(fmt::format("--camera = {}: FX and FY are above 0", text));
  }
  fathom::WallSensor::Camera camera = {numbers[0], numbers[1], numbers[2], numbers[3]};
  if (numbers.size() == 5) camera.baseline_m = numbers[4];
  if (!(camera.baseline_m >= 0.0))
    throw fathom::InputError(fmt::format("--camera = {}: BASELINE is not below 0", text));
  return camera;
}

CLI::Option& add_parsed(CLI::App& c, const OptionText& text, const std::function<void(const std::string&)>& read) {
  return *c.add_option_function<std::string>(text.name, read, text.doc)->type_name(text.type);
}

CLI::Option& add_whole_option(CLI::App& c, const OptionText& text, const WholeLimits& limits,
                              const std::function<void(std::uint64_t)>& set) {
  return add_parsed(c, {text.name, text.type, doc_with_limits(text, limits)},
                    [name = text.name, limits, set](const std::string& v) { set(parse_whole(name, v, limits)); });
}

CLI::Option& add_number_option(CLI::App& c, const OptionText& text, const NumberLimits& limits,
                               const std::function<void(double)>& set) {
  return add_parsed(c, text,
                    [name = text.name, limits, set](const std::string& v) { set(parse_number(name, v, limits)); });
}

CLI::Option& add_range(CLI::App& c, const std::string& name, const std::string& doc,
                       std::optional<fathom::NumberRange>& value) {
  return add_parsed(c, {name, "FIRST:END", doc}, [name, &value](const std::string& text) {
    const std::size_t colon = std::min(text.find(':'), text.size());
    const auto first = parse_text<std::uint32_t>(std::string_view(text).substr(0, colon));
    const auto end = parse_text<std::uint32_t>(std::string_view(text).substr(std::min(colon + 1, text.size())));
    if (!first || !end || *first >= *end) {
      fail(name, text, fmt::format("FIRST:END, whole numbers with 0 <= FIRST < END <= {}", kAnyIndex.high));
    }
    value = {*first, *end};
  });
}

CLI::Option& add_word_option(CLI::App& c, const std::string& name, const std::string& doc,
                             std::span<const std::string_view> words, const std::function<void(std::size_t)>& set) {
  const std::string choice = fmt::format("{}", fmt::join(words, "|"));
  return add_parsed(c, {name, choice, doc}, [name, words, set](const std::string& text) {
    const auto found = std::find(words.begin(), words.end(), text);
    if (found == words.end()) {
      const std::string_view likely = fathom::likely_name(text, words);
      fail(name, text,
           fmt::format("one of {}{}{}", fmt::join(words, ", "), likely.empty() ? "" : "; nearest: ", likely));
    }
    set(static_cast<std::size_t>(found - words.begin()));
  });
}

const SharedOption& shared_option(std::string_view name) {
  return *std::find_if(kSharedOptions.begin(), kSharedOptions.end(),
                       [&](const SharedOption& option) { return option.name == name; });
}

void add_threads(CLI::App& c, int& threads) {
  const char* const doc = "0: one for each core; the results do not depend on it";
  add_whole(c, {"--threads", "T", doc}, {0, fathom::Compute::kMostThreads}, threads);
}

void add_force(CLI::App& c, bool& force, const std::string& doc) { c.add_flag("--force", force, doc); }

void add_quiet(CLI::App& c, bool& quiet) {
  c.add_flag("--quiet", quiet, "nothing on stderr but errors, nothing on stdout but data");
}

CLI::Option& add_json(CLI::App& c, bool& json) { return *c.add_flag("--json", json, "print JSON"); }

void add_set(CLI::App& c, std::vector<std::string>& set) {
  add_repeated(c, {"--set", "PATH=VALUE", "replace one value of the scene"}, set);
}

void add_seed(CLI::App& c, std::optional<std::uint64_t>& seed) {
  add_whole(c, {"--seed", "S", "seed of all noise, instead of the scene's"}, kAnySeed, seed);
}

std::array<CLI::Option*, 2> add_domain(CLI::App& c, fathom::TopicDomain& domain) {
  CLI::Option& number = add_whole(c, {"--domain", "N", "as ROS_DOMAIN_ID"}, {0, fathom::kMaxDomain}, domain.domain);
  const char* const doc = "network interface or address; without: this computer alone";
  return {&number, c.add_option("--interface", domain.interface, doc)->type_name("NAME")};
}

CLI::Option& add_scene_file(CLI::App& c, std::filesystem::path& scene) {
  return *c.add_option("SCENE", scene, "scene file (YAML)")->required()->type_name("YAML");
}

}  // namespace fathom_cli
