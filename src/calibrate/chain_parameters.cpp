// SPDX-License-Identifier: MIT
// Which parameters of a chain can be learned, and the chain as text.

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include <fathom/base/error.hpp>
#include <fathom/calibrate/chain.hpp>

#include "calibrate/chain_levels.hpp"

namespace fathom {

namespace {

/// Parameters that returns can tell, alone or with others.
struct Learnable {
  std::string_view slug;
  std::array<std::string_view, 4> fields;
};
constexpr std::array kLearnable = {
    Learnable{AngularRay::kSlug, {"mean_rad", "stddev_rad"}},
    Learnable{LossAngle::kSlug, {"max_incidence_rad"}},
    Learnable{InvalidBand::kSlug, {"max_disparity_px"}},
    Learnable{StereoEnergy::kSlug, {StereoEnergy::kMinEnergy, StereoEnergy::kPow}},
    Learnable{TextureLoss::kSlug, {"reach_m", "midpoint", "width"}},
    Learnable{EdgeLoss::kSlug, {"min_angle_rad", "max_angle_rad", "low_probability", "high_probability"}},
    Learnable{DistanceNoise::kSlug, {"mean_m", DistanceNoise::kStddev, DistanceNoise::kStddevPerM}},
    Learnable{UniformNoise::kSlug, {"low_m", "high_m"}},
    Learnable{StudentNoise::kSlug, {"scale_m", "scale_per_m", "nu"}},
    Learnable{Disparity::kSlug, {"bias_px", "stddev_px", kLevelsField}},
    Learnable{GainBias::kSlug, {"gain", "bias_m"}},
    Learnable{Dropout::kSlug, {"probability"}},
};

bool is_learnable(std::string_view slug, std::string_view field) {
  for (const Learnable& model : kLearnable) {
    if (model.slug != slug) continue;
    return std::find(model.fields.begin(), model.fields.end(), field) != model.fields.end();
  }
  return false;
}

/// Whether a text is what a pattern says, * standing for any text.
bool matches(std::string_view pattern, std::string_view text) {
  if (pattern.empty()) return text.empty();
  if (pattern.front() != '*') {
    return !text.empty() && pattern.front() == text.front() && matches(pattern.substr(1), text.substr(1));
  }
  for (std::size_t skip = 0; skip <= text.size(); ++skip) {
    if (matches(pattern.substr(1), text.substr(skip))) return true;
  }
  return false;
}

/// Whether a pattern means this parameter of the model at this place; files call x_rad x_deg, too.
bool is_named(std::string_view pattern, std::size_t entry, std::string_view slug, std::string field) {
  const auto is_meant = [&] {
    return matches(pattern, fmt::format("{}.{}", slug, field)) || matches(pattern, fmt::format("{}.{}", entry, field));
  };
  if (is_meant()) return true;
  if (!field.ends_with("_rad")) return false;
  field.replace(field.size() - 4, 4, "_deg");
  return is_meant();
}

std::string value_text(const FieldInfo& field, double number) {
  if (field.kind == FieldKind::kFlag) return number != 0.0 ? "true" : "false";
  if (field.kind == FieldKind::kChoice) return std::string(field.choices[static_cast<std::size_t>(number)]);
  return fmt::format("{}", static_cast<float>(number));
}

std::string correlation_text(const Correlation& c) {
  const std::string time = std::isinf(c.time_s) ? ".inf" : fmt::format("{:.9g}", c.time_s);
  return fmt::format("{}: {{across_px: {}, down_px: {}, time_s: {}, shape: {}}}", Correlation::kSlug, c.across_px,
                     c.down_px, time, kChoiceWords<CorrelationShape>[static_cast<std::size_t>(c.shape)]);
}

}  // namespace

std::vector<ChainParameter> chain_parameters(const NoiseChain& chain, std::string_view pattern) {
  std::vector<ChainParameter> found;
  std::string fixed;
  for (std::size_t entry = 0; entry < chain.size(); ++entry) {
    const NoiseInfo& info = chain[entry].noise.info();
    for (const FieldInfo& field : info.fields) {
      if (!is_named(pattern, entry, info.slug, std::string(field.name))) continue;
      if (is_learnable(info.slug, field.name)) {
        found.push_back({entry, std::string(field.name)});
      } else if (fixed.empty()) {
        fixed = fmt::format("{}.{}", info.slug, field.name);
      }
    }
  }
  const bool asks_one = pattern.find('*') == std::string_view::npos;
  if (!fixed.empty() && (asks_one || found.empty())) {
    throw InputError(fmt::format("{} cannot be learned: it is no number, or not one that returns can tell", fixed));
  }
  if (found.empty()) throw InputError(fmt::format("the chain has no parameter '{}'", pattern));
  return found;
}

std::string chain_yaml(const NoiseChain& chain, std::size_t indent) {
  std::string text;
  for (const ChainEntry& entry : chain) {
    const NoiseInfo& info = entry.noise.info();
    if (!entry.by_entity.empty() || !entry.by_ring.empty()) {
      throw InputError(fmt::format("{} has parameters of its own for some entities or rings", info.slug));
    }
    std::vector<std::string> values;
    const std::vector<FieldValue> numbers = entry.noise.values();
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      values.push_back(fmt::format("{}: {}", numbers[i].name, value_text(info.fields[i], numbers[i].number())));
    }
    if (!entry.correlation.is_white()) values.push_back(correlation_text(entry.correlation));
    text += fmt::format("{:{}}- {}: {{{}}}\n", "", indent, info.slug, fmt::join(values, ", "));
  }
  return text;
}

}  // namespace fathom
