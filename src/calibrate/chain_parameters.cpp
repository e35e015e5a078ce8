// SPDX-License-Identifier: MIT
// Which parameters of a chain can be learned, and the chain as text.

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include <fathom/base/error.hpp>
#include <fathom/calibrate/chain.hpp>

#include "base/text.hpp"

namespace fathom {

namespace {

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

constexpr std::string_view kRings = "rings.";  // as scene files call the entries for rings

/// Whether a pattern means this parameter of the model at this place, `of` a ring or not; files call x_rad x_deg, too.
bool is_named(std::string_view pattern, std::size_t entry, std::string_view slug, const std::string& of,
              std::string field) {
  const auto is_meant = [&] {
    return matches(pattern, fmt::format("{}.{}{}", slug, of, field)) ||
           matches(pattern, fmt::format("{}.{}{}", entry, of, field));
  };
  if (is_meant()) return true;
  if (!field.ends_with("_rad")) return false;
  field.replace(field.size() - 4, 4, "_deg");
  return is_meant();
}

/// Why a parameter cannot be learned for single rings; empty: it can.
std::string why_same_in_rings(const Noise& noise, std::string_view field) {
  for (const SameInChain& same : noise.same_in_chain()) {
    if (same.field == field) return std::string(same.reason);
  }
  const LearnedField* learned = noise.learned(field);
  return learned == nullptr ? std::string() : std::string(learned->same_in_rings);
}

/// Those of single rings that a pattern names, appended.
void add_of_rings(const NoiseChain& chain, std::string_view pattern, std::span<const std::uint16_t> rings,
                  std::vector<ChainParameter>& found) {
  if (rings.empty()) throw InputError(fmt::format("'{}' is of single rings, and the rays have none", pattern));
  for (std::size_t entry = 0; entry < chain.size(); ++entry) {
    const Noise& noise = chain[entry].noise;
    for (const std::uint16_t ring : rings) {
      for (const FieldInfo& field : noise.info().fields) {
        const std::string of = fmt::format("{}{}.", kRings, ring);
        if (!is_named(pattern, entry, noise.slug(), of, std::string(field.name))) continue;
        const std::string why = why_same_in_rings(noise, field.name);
        if (noise.learned(field.name) != nullptr && why.empty()) {
          found.push_back({entry, std::string(field.name), ring});
        } else if (pattern.ends_with(field.name)) {
          throw InputError(fmt::format("{}.{} cannot be learned for single rings{}{}", noise.slug(), field.name,
                                       why.empty() ? "" : ": ", why));
        }
      }
    }
  }
  if (found.empty()) throw InputError(fmt::format("the chain has no parameter '{}' of its rings", pattern));
}

/// " (nearest known: 'student.nu')", or nothing.
std::string nearest_parameter(const NoiseChain& chain, std::string_view pattern) {
  std::vector<std::string> names;
  for (const ChainEntry& entry : chain) {
    for (const FieldInfo& field : entry.noise.info().fields) {
      names.push_back(fmt::format("{}.{}", entry.noise.slug(), field.name));
    }
  }
  const std::vector<std::string_view> views(names.begin(), names.end());
  return nearest_hint(pattern, views);
}

std::string value_text(const FieldInfo& field, double number) {
  if (field.kind == FieldKind::kFlag) return number != 0.0 ? "true" : "false";
  if (field.kind == FieldKind::kChoice) return std::string(field.choices[static_cast<std::size_t>(number)]);
  return fmt::format("{}", static_cast<float>(number));
}

bool is_default(const FieldInfo& field, const FieldValue& value) {
  return field.default_numbers.size() == 1 &&
         static_cast<float>(field.default_numbers.front()) == static_cast<float>(value.number());
}

/// "mean_m: 0.1", ..., all of them.
std::vector<std::string> value_texts(const Noise& noise) {
  std::vector<std::string> texts;
  const std::vector<FieldValue> values = noise.values();
  for (std::size_t i = 0; i < values.size(); ++i) {
    texts.push_back(fmt::format("{}: {}", values[i].name, value_text(noise.info().fields[i], values[i].number())));
  }
  return texts;
}

/// Omits parameters that have no effect and their default value: the reader of scenes would warn about them.
std::vector<std::string> effective_values(const Noise& noise) {
  std::vector<std::string> texts = value_texts(noise);
  const std::vector<FieldValue> values = noise.values();
  for (std::size_t i = values.size(); i-- > 0;) {
    const FieldInfo& field = noise.info().fields[i];
    if (is_default(field, values[i]) && !noise.idle(field.name).empty()) {
      texts.erase(texts.begin() + static_cast<std::ptrdiff_t>(i));
    }
  }
  return texts;
}

std::string correlation_text(const Correlation& c) {
  const std::string time = std::isinf(c.time_s) ? ".inf" : fmt::format("{:.9g}", c.time_s);
  const bool tells_shape = c.shape != Correlation{}.shape || c.idle("shape").empty();
  const std::string shape =
      tells_shape ? fmt::format(", shape: {}", kChoiceWords<CorrelationShape>[static_cast<std::size_t>(c.shape)]) : "";
  return fmt::format("{}: {{across_px: {}, down_px: {}, time_s: {}{}}}", Correlation::kSlug, c.across_px, c.down_px,
                     time, shape);
}

}  // namespace

std::vector<ChainParameter> chain_parameters(const NoiseChain& chain, std::string_view pattern,
                                             std::span<const std::uint16_t> rings) {
  std::vector<ChainParameter> found;
  if (pattern.find(fmt::format(".{}", kRings)) != std::string_view::npos) {
    add_of_rings(chain, pattern, rings, found);
    return found;
  }
  std::string fixed;
  for (std::size_t entry = 0; entry < chain.size(); ++entry) {
    const NoiseInfo& info = chain[entry].noise.info();
    for (const FieldInfo& field : info.fields) {
      if (!is_named(pattern, entry, info.slug, "", std::string(field.name))) continue;
      if (chain[entry].noise.learned(field.name) != nullptr) {
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
  if (found.empty()) {
    throw InputError(fmt::format("the chain has no parameter '{}'{}", pattern, nearest_parameter(chain, pattern)));
  }
  return found;
}

std::vector<ChainParameter> chain_parameters(const NoiseChain& chain, std::span<const std::string> patterns,
                                             std::span<const std::uint16_t> rings) {
  std::vector<ChainParameter> all;
  for (const std::string& pattern : patterns) {
    for (ChainParameter& p : chain_parameters(chain, std::string_view(pattern), rings)) all.push_back(std::move(p));
  }
  return all;
}

std::string chain_yaml(const NoiseChain& chain, std::size_t indent) {
  std::string text;
  for (const ChainEntry& entry : chain) {
    const NoiseInfo& info = entry.noise.info();
    if (!entry.by_entity.empty()) {
      throw InputError(fmt::format("{} has parameters of its own for some entities", info.slug));
    }
    std::vector<std::string> values = effective_values(entry.noise);
    if (!entry.correlation.is_white()) values.push_back(correlation_text(entry.correlation));
    if (entry.by_ring.empty()) {
      text += fmt::format("{:{}}- {}: {{{}}}\n", "", indent, info.slug, fmt::join(values, ", "));
      continue;
    }
    text += fmt::format("{:{}}- {}:\n", "", indent, info.slug);
    for (const std::string& value : values) text += fmt::format("{:{}}{}\n", "", indent + 4, value);
    text += fmt::format("{:{}}rings:\n", "", indent + 4);
    for (const RingEntry& other : entry.by_ring) {
      text += fmt::format("{:{}}{}: {{{}}}\n", "", indent + 6, other.ring, fmt::join(value_texts(other.noise), ", "));
    }
  }
  return text;
}

}  // namespace fathom
