// SPDX-License-Identifier: MIT
#include "depth_config.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <utility>

#include <fathom/core/error.hpp>
#include <fathom/noise/noise.hpp>

namespace fathom::mjplugin {

namespace {

constexpr double kMost = std::numeric_limits<double>::max();
constexpr std::string_view kSpace = " \t\r\n";

[[noreturn]] void refuse(std::string_view key, std::string_view value, const std::string& what) {
  throw InputError(std::string(key).append(" = '").append(value).append("' ").append(what));
}

/// The non-empty parts between separators.
std::vector<std::string_view> split(std::string_view text, std::string_view separators) {
  std::vector<std::string_view> parts;
  while (true) {
    const std::size_t begin = text.find_first_not_of(separators);
    if (begin == std::string_view::npos) return parts;
    text.remove_prefix(begin);
    const std::size_t end = std::min(text.find_first_of(separators), text.size());
    parts.push_back(text.substr(0, end));
    text.remove_prefix(end);
  }
}

double number(std::string_view key, std::string_view text, double low, double high) {
  double value = 0.0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) refuse(key, text, "is not a number");
  if (!(value >= low && value <= high)) {
    const auto plain = [](double x) {
      return x == kMost ? std::string("...") : std::to_string(static_cast<long long>(x));
    };
    refuse(key, text, "is not in [" + plain(low) + ", " + plain(high) + "]");
  }
  return value;
}

std::vector<double> numbers(std::string_view key, const std::string& text, std::size_t count, double low, double high) {
  std::vector<double> values;
  for (const std::string_view part : split(text, kSpace)) values.push_back(number(key, part, low, high));
  if (values.size() != count) refuse(key, text, "is not " + std::to_string(count) + " numbers");
  return values;
}

std::uint32_t whole(std::string_view key, double value, const std::string& text) {
  if (value != std::floor(value)) refuse(key, text, "is not whole");
  return static_cast<std::uint32_t>(value);
}

bool flag(std::string_view key, std::string_view text) {
  if (text != "true" && text != "false") refuse(key, text, "is neither true nor false");
  return text == "true";
}

Output output_of(std::string_view name) {
  constexpr std::array<std::string_view, 6> kNames = {"depth",       "range",  "clean_depth",
                                                      "clean_range", "reason", "geom_id"};
  const auto* const found = std::find(kNames.begin(), kNames.end(), name);
  if (found == kNames.end())
    refuse("channels", name, "is not one of depth, range, clean_depth, clean_range, reason, geom_id");
  return static_cast<Output>(found - kNames.begin());
}

/// A parameter of noise, "min_energy=0.4".
FieldValue read_parameter(const NoiseInfo& model, std::string_view text) {
  const std::size_t sign = text.find('=');
  const std::string_view name = text.substr(0, sign);
  if (sign == std::string_view::npos) refuse("noise", text, "is not parameter=value");
  const std::string_view value = text.substr(sign + 1);
  for (const FieldInfo& field : model.fields) {
    if (field.name != name) continue;
    if (value == "true" || value == "false") return field_value(field, value == "true" ? 1.0 : 0.0);
    const auto word = std::find(field.choices.begin(), field.choices.end(), value);
    if (word != field.choices.end()) return field_value(field, static_cast<double>(word - field.choices.begin()));
    return field_value(field, number(std::string(model.slug).append(".").append(name), value, -kMost, kMost));
  }
  return {std::string(name), 0.0};  // make_noise() refuses it and names the nearest one
}

void read_camera(const ConfigText& text, DepthConfig& config) {
  const std::string size = text("size");
  if (size.empty()) throw InputError("size is missing: width and height in pixels");
  const std::vector<double> pixels = numbers("size", size, 2, 1, 16384);
  config.width = whole("size", pixels[0], size), config.height = whole("size", pixels[1], size);
  for (const char* key : {"baseline", "baseline_m"}) {
    if (const std::string given = text(key); !given.empty()) config.baseline_m = number(key, given, 0, 100);
  }
  const auto take = [&](const char* key, double& value, double high) {
    if (const std::string given = text(key); !given.empty()) value = number(key, given, 0, high);
  };
  take("min_range_m", config.min_range_m, 1e6), take("max_range_m", config.max_range_m, 1e6);
  double focal = 0.0, aperture = 0.0;
  take("focal_length", focal, kMost), take("horizontal_aperture", aperture, kMost);
  if ((focal > 0.0) != (aperture > 0.0)) throw InputError("focal_length and horizontal_aperture go together");
  if (focal > 0.0) config.focal_per_aperture = focal / aperture;
}

}  // namespace

NoiseChain read_noise(std::string_view text) {
  NoiseChain chain;
  for (const std::string_view entry : split(text, ";")) {
    const std::vector<std::string_view> words = split(entry, kSpace);
    if (words.empty()) continue;
    std::vector<FieldValue> values;
    for (const NoiseInfo& model : noise_models()) {
      if (model.slug != words[0]) continue;
      for (std::size_t i = 1; i < words.size(); ++i) values.push_back(read_parameter(model, words[i]));
    }
    chain.emplace_back(make_noise(words[0], values));
  }
  return chain;
}

DepthConfig read_config(const ConfigText& text) {
  DepthConfig config;
  read_camera(text, config);
  if (const std::string given = text("geomgroup"); !given.empty()) {
    const std::vector<double> on = numbers("geomgroup", given, config.groups.size(), 0, 1);
    std::transform(on.begin(), on.end(), config.groups.begin(), [](double x) { return x != 0.0; });
  }
  if (const std::string given = text("see_own_body"); !given.empty()) config.see_own_body = flag("see_own_body", given);
  config.noise = read_noise(text("noise"));
  if (const std::string given = text("channels"); !given.empty()) {
    config.outputs.clear();
    for (const std::string_view name : split(given, kSpace)) config.outputs.push_back(output_of(name));
  }
  if (const std::string given = text("lost"); !given.empty()) config.lost = number("lost", given, -kMost, kMost);
  if (const std::string given = text("rate_hz"); !given.empty())
    config.period_s = 1.0 / number("rate_hz", given, 1e-6, 1e6);
  if (const std::string given = text("seed"); !given.empty()) {
    config.seed = whole("seed", number("seed", given, 0, 4294967295.0), given);
  }
  if (const std::string given = text("threads"); !given.empty()) {
    config.threads = static_cast<int>(whole("threads", number("threads", given, 0, 1024), given));
  }
  return config;
}

}  // namespace fathom::mjplugin
