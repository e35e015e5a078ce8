// SPDX-License-Identifier: MIT
// Which parameters of a chain can be learned, checked before anything is learned, and the chain as text.

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include <fathom/core/error.hpp>
#include <fathom/core/field.hpp>

#include "core/text.hpp"
#include "fit/chain/chain_fit.hpp"
#include "fit/chain/turned_rays.hpp"
#include "sensor/noise_access.hpp"

namespace fathom {

std::string name_of(const NoiseChain& chain, const FreeNumber& p) {
  const std::string_view slug = chain[p.entry].noise.slug();
  const auto same = std::ranges::count_if(chain, [&](const ChainEntry& e) { return e.noise.slug() == slug; });
  const std::string field = p.rings.empty() ? p.field : fmt::format("rings.{}.{}", p.rings.front(), p.field);
  return same > 1 ? fmt::format("{}.{}.{}", p.entry, slug, field) : fmt::format("{}.{}", slug, field);
}

namespace {

/// Throws InputError when the last number contradicts one before it.
void check_last(const NoiseChain& chain, std::span<const FreeNumber> numbers) {
  const FreeNumber& last = numbers.back();
  for (const FreeNumber& p : numbers.first(numbers.size() - 1)) {
    if (p == last) throw InputError(fmt::format("{} is free twice", name_of(chain, last)));
    if (p.entry == last.entry && p.rings.empty() != last.rings.empty()) {
      throw InputError(fmt::format("{} and {} are both free: learn a model for single rings or for all of them",
                                   name_of(chain, p), name_of(chain, last)));
    }
  }
}

}  // namespace

std::vector<FreeNumber> free_numbers(const NoiseChain& chain, std::span<const ChainParameter> free,
                                     std::span<const std::uint16_t> rings) {
  std::vector<FreeNumber> numbers;
  for (const ChainParameter& p : free) {
    if (p.entry >= chain.size()) throw InputError(fmt::format("the chain has no model at place {}", p.entry));
    const NoiseInfo& info = chain[p.entry].noise.info();
    static_cast<void>(chain_parameters(
        chain,
        p.ring ? fmt::format("{}.rings.{}.{}", info.slug, *p.ring, p.field) : fmt::format("{}.{}", info.slug, p.field),
        rings));
    for (const FieldInfo& field : info.fields) {
      if (field.name == p.field) numbers.push_back({p.entry, p.field, field.low, field.high, field.unit});
    }
    const LearnedField& learned = *chain[p.entry].noise.learned(p.field);
    numbers.back().role = learned.role, numbers.back().yields = learned.yields;
    if (p.ring) numbers.back().rings = {*p.ring};
    check_last(chain, numbers);
  }
  if (numbers.empty()) throw InputError("no parameter of the chain is free");
  for (const FreeNumber& p : numbers) {
    if (p.role == LearnedRole::kThreshold && turns_rays(chain) && is_jump(chain, numbers, p)) {
      throw InputError(fmt::format(
          "{} cannot be learned beside a model that turns rays: its losses jump with the angle", name_of(chain, p)));
    }
    const Noise* sharp = moved_sharp_ends(chain, numbers, p);
    if (sharp == nullptr) continue;
    throw InputError(
        fmt::format("{} cannot be learned where {} is the only random error: put a {} beside it, with a free deviation",
                    name_of(chain, p), sharp->slug(), detail::models_for(Remedy::kRangeError)));
  }
  return numbers;
}

namespace {

constexpr double kShareOfStep = 0.5;  // of the distance of nodes, or of the spread of points

void set_ray_steps(const AxisTurn& model, const std::vector<double>& nodes, FreeNumber& p) {
  p.step = kShareOfStep * step_in_middle(nodes);
  // Nothing was cast beyond the nodes.
  const double reach = 0.5 * (nodes.back() - nodes.front());
  if (p.role == LearnedRole::kDeviation) {
    p.high = std::min(p.high, std::max(0.5 * reach, model.stddev_rad));
  } else {
    p.low = std::max(p.low, model.mean_rad - reach), p.high = std::min(p.high, model.mean_rad + reach);
  }
}

/// Root mean square of the angles of points; 0 without points.
double rms_of(const ChainReturns::HitTurns& turns) {
  double squares = 0.0, count = 0.0;
  for (const std::vector<float>* angles : {&turns.first_rad, &turns.second_rad}) {
    for (const float angle : *angles) {
      if (!std::isnan(angle)) squares += double{angle} * double{angle}, count += 1.0;
    }
  }
  return squares > 0.0 ? std::sqrt(squares / count) : 0.0;
}

}  // namespace

void set_steps_of_angles(const NoiseChain& chain, const ChainReturns& returns, std::span<FreeNumber> numbers) {
  const double rms_rad = rms_of(returns.hits);
  for (FreeNumber& p : numbers) {
    const Noise& noise = chain[p.entry].noise;
    if (noise.stage() == Stage::kHitPoint && rms_rad > 0.0) p.step = kShareOfStep * rms_rad;
    if (turns_rays(noise) && returns.turned.is_known()) set_ray_steps(*noise.turn(), returns.turned.angle_rad, p);
  }
}

void check_ranges_may_err(const NoiseChain& chain, const ChainData& data) {
  const bool may_err = std::ranges::any_of(chain, [](const ChainEntry& entry) {
    const Stage stage = entry.noise.stage();
    const DrawCount draws = entry.noise.info().draws;
    const bool moves = stage == Stage::kRange && draws.normals + draws.uniforms > 0;
    const bool reads = stage == Stage::kReading && detail::NoiseAccess::hooks(entry.noise).act != nullptr;
    return moves || reads || stage == Stage::kRay;
  });
  if (may_err) return;
  NoiseChain of_ranges = chain;  // points that are turned, and surfaces in weather, keep theirs
  std::erase_if(of_ranges, [](const ChainEntry& entry) { return entry.noise.stage() == Stage::kHitPoint; });
  const bool has_weather = std::erase_if(of_ranges, [](const ChainEntry& entry) {
                             return detail::NoiseAccess::is_weather(entry.noise);
                           }) > 0;
  const ChainDensity density(of_ranges, data.returns);
  std::size_t back = 0, off = 0;
  for (const std::size_t i : data.used) {
    if (std::isnan(data.returns.range_m[i])) continue;
    const bool is_before = data.returns.range_m[i] < 0.99999F * data.returns.clean_range_m[i];
    if (has_weather && is_before) continue;  // it may be a drop
    // What a loss may not keep is another matter.
    const bool is_off = density.range_part(i) <= ChainDensity::kLeastLog && density.kept(i) > 0.0;
    ++back, off += is_off ? 1 : 0;
  }
  if (2 * off <= back) return;
  throw InputError(
      fmt::format("the chain of noise has no error of ranges, and {} of {} measured ranges differ from the scene: "
                  "add a {}",
                  grouped(off), grouped(back), detail::models_for(Remedy::kRangeError)));
}

namespace {

/// Whether a text matches a pattern; * is any text.
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

/// Why a parameter cannot be learned for single rings; else empty.
std::string why_same_in_rings(const Noise& noise, std::string_view field) {
  for (const SameInChain& same : noise.same_in_chain()) {
    if (same.field == field) return std::string(same.reason);
  }
  const LearnedField* learned = noise.learned(field);
  return learned == nullptr ? std::string() : std::string(learned->same_in_rings);
}

/// " (nearest known: 'student.nu')", or empty.
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

/// Compares with the default as single floats, as chains hold them. A required field has no default.
bool is_default(const FieldInfo& field, double number) {
  return field.default_numbers.size() == 1 &&
         static_cast<float>(field.default_numbers.front()) == static_cast<float>(number);
}

/// "mean_m: 0.1", ... Omits parameters that have no effect and their default value unless `with_idle`: the reader of
/// scenes would warn about them.
std::vector<std::string> value_texts(const Noise& noise, bool with_idle) {
  std::vector<std::string> texts;
  const std::vector<FieldValue> values = noise.values();
  for (std::size_t i = 0; i < values.size(); ++i) {
    const FieldInfo& field = noise.info().fields[i];
    const double number = values[i].number();
    const bool is_idle = is_default(field, number) && !noise.idle(field.name).empty();
    if (with_idle || !is_idle) texts.push_back(fmt::format("{}: {}", field.name, field_text(field, {&number, 1})));
  }
  return texts;
}

std::string correlation_text(const Correlation& c) {
  const std::string time = std::isinf(c.time_s) ? ".inf" : fmt::format("{:.9g}", c.time_s);
  const bool tells_shape = c.shape != Correlation{}.shape || c.idle("shape").empty();
  const std::string shape =
      tells_shape ? fmt::format(", shape: {}", kChoiceWords<CorrelationShape>[static_cast<std::size_t>(c.shape)]) : "";
  const std::string motion =
      c.has_motion() ? fmt::format(", motion_m: {:.9g}, motion_rad: {:.9g}", c.motion_m, c.motion_rad) : "";
  return fmt::format("{}: {{across_px: {}, down_px: {}, time_s: {}{}{}}}", Correlation::kSlug, c.across_px, c.down_px,
                     time, motion, shape);
}

/// The parameters that a pattern names.
struct Named {
  std::vector<ChainParameter> learnable;
  std::string fixed;  ///< the first one that cannot be learned
};

/// `rings`: a ring, or empty for all. Throws for a parameter that the pattern names and that all rings share.
Named named_by(std::string_view pattern, const NoiseChain& chain, std::span<const std::optional<std::uint16_t>> rings) {
  Named named;
  for (std::size_t entry = 0; entry < chain.size(); ++entry) {
    const Noise& noise = chain[entry].noise;
    for (const std::optional<std::uint16_t>& ring : rings) {
      for (const FieldInfo& field : noise.info().fields) {
        const std::string of = ring ? fmt::format("{}{}.", kRings, *ring) : "";
        if (!is_named(pattern, entry, noise.slug(), of, std::string(field.name))) continue;
        const std::string why = ring ? why_same_in_rings(noise, field.name) : "";
        if (noise.learned(field.name) != nullptr && why.empty()) {
          named.learnable.push_back({entry, std::string(field.name), ring});
        } else if (ring && pattern.ends_with(field.name)) {
          throw InputError(fmt::format("{}.{} cannot be learned for single rings{}{}", noise.slug(), field.name,
                                       why.empty() ? "" : ": ", why));
        } else if (named.fixed.empty()) {
          named.fixed = fmt::format("{}.{}", noise.slug(), field.name);
        }
      }
    }
  }
  return named;
}

}  // namespace

std::vector<ChainParameter> chain_parameters(const NoiseChain& chain, std::string_view pattern,
                                             std::span<const std::uint16_t> rings) {
  const bool of_rings = pattern.find(fmt::format(".{}", kRings)) != std::string_view::npos;
  if (of_rings && rings.empty()) {
    throw InputError(fmt::format("'{}' is of single rings, and the rays have none", pattern));
  }
  std::vector<std::optional<std::uint16_t>> asked = {std::nullopt};
  if (of_rings) asked.assign(rings.begin(), rings.end());
  Named named = named_by(pattern, chain, asked);
  const bool asks_one = pattern.find('*') == std::string_view::npos;
  if (named.learnable.empty() && of_rings) {
    throw InputError(fmt::format("the chain has no parameter '{}' of its rings", pattern));
  }
  if (!of_rings && !named.fixed.empty() && (asks_one || named.learnable.empty())) {
    throw InputError(
        fmt::format("{} cannot be learned: it is no number, or not one that returns can tell", named.fixed));
  }
  if (named.learnable.empty()) {
    throw InputError(fmt::format("the chain has no parameter '{}'{}", pattern, nearest_parameter(chain, pattern)));
  }
  return std::move(named.learnable);
}

std::vector<ChainParameter> chain_parameters(const NoiseChain& chain, std::span<const std::string> patterns,
                                             std::span<const std::uint16_t> rings) {
  std::vector<ChainParameter> all;
  for (const std::string& pattern : patterns) {
    const std::vector<ChainParameter> more = chain_parameters(chain, std::string_view(pattern), rings);
    all.insert(all.end(), more.begin(), more.end());
  }
  return all;
}

std::string chain_yaml(const NoiseChain& chain, std::size_t indent) {
  std::string text;
  for (const ChainEntry& entry : chain) {
    const NoiseInfo& info = entry.noise.info();
    if (!entry.by_entity.empty()) {
      throw InputError(fmt::format("{} has separate parameters for some entities", info.slug));
    }
    std::vector<std::string> values = value_texts(entry.noise, false);
    if (!entry.correlation.is_white()) values.push_back(correlation_text(entry.correlation));
    if (entry.by_ring.empty()) {
      text += fmt::format("{:{}}- {}: {{{}}}\n", "", indent, info.slug, fmt::join(values, ", "));
      continue;
    }
    text += fmt::format("{:{}}- {}:\n", "", indent, info.slug);
    for (const std::string& value : values) text += fmt::format("{:{}}{}\n", "", indent + 4, value);
    text += fmt::format("{:{}}rings:\n", "", indent + 4);
    for (const RingEntry& other : entry.by_ring) {
      text +=
          fmt::format("{:{}}{}: {{{}}}\n", "", indent + 6, other.ring, fmt::join(value_texts(other.noise, true), ", "));
    }
  }
  return text;
}

}  // namespace fathom
