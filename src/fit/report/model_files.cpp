// SPDX-License-Identifier: MIT
// Learned models as files: parameters.yaml, and the files of localizers.
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <numbers>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <fathom/core/distributions.hpp>
#include <fathom/core/error.hpp>
#include <fathom/fit/beam.hpp>

#include "core/errors.hpp"
#include "core/text/files.hpp"
#include "core/text/read_fields.hpp"
#include "core/text/yaml.hpp"
#include "fit/beam/likelihood_field.hpp"
#include "fit/report/figures.hpp"

namespace fathom {

namespace {

void add_line(std::string& text, std::string_view key, std::string_view value, std::string_view doc) {
  // A comment begins with a blank, however long the value is.
  text += fmt::format("{:<41} # {}\n", fmt::format("{}: {}", key, value), doc);
}

template <FieldModel M>
void add_field(std::string& text, const M& model, const FieldInfo& field) {
  const bool has_unit = field.choices.empty() && field.unit != "1";
  add_line(text, field.name, field_text(field, get_field(model, field.name)),
           has_unit ? fmt::format("{}: {}", field.unit, field.doc) : std::string(field.doc));
}

/// A line per parameter, with every digit.
template <FieldModel M>
void add_lines(std::string& text, const M& model) {
  for (const FieldInfo& field : describe<M>()) add_field(text, model, field);
}

/// The extended law of hits and its number. Files of the book's model have no such lines, and older versions read them.
void add_tail(std::string& text, const HitTail& tail) {
  for (const FieldInfo& field : describe<HitTail>()) {
    if (field.name == "hit" || field.name == HitTail::field_of(tail.hit).name) add_field(text, tail, field);
  }
}

}  // namespace

/// The law of hits, whose own number must be there, and no other law's.
void read_tail(YamlReader& map, HitTail& tail) {
  read_fields(map, tail);
  for (const HitLaw law : {HitLaw::kStudentT, HitLaw::kGrows}) {
    const std::string_view number = HitTail::field_of(law).name,
                           word = kChoiceWords<HitLaw>[static_cast<std::size_t>(law)];
    const std::optional<YamlReader> given = map.find(number);
    if (given && tail.hit != law) given->fail_key(fmt::format("is for hit: {}", word));
    if (!given && tail.hit == law) map.at("hit").fail_key(fmt::format("is {}, which needs {}", word, number));
  }
}

BeamModel read_beam_model_text(std::string_view text, const std::filesystem::path& file) {
  const YamlValue root = parse_yaml(text, file.string());
  refuse_other_kind(root, YamlFileKind::kBeamModel);
  if (root.find("max_distance_m") != nullptr && root.find("w_short") == nullptr) {
    throw LocatedError(to_string(root.mark), ": these are parameters of a likelihood field, not of a beam model",
                       Hint{"model", "field"});
  }
  YamlReader map(root);
  BeamModel model;
  read_fields(map, model.parameters);
  read_tail(map, model.parameters.tail);
  read_fields(map, model.sensor);
  read_fields(map, model);
  map.finish();
  // An error about several keys has no line.
  with_prefix([&] { return to_string(root.mark); },
              [&] {
                validate(model.parameters);
                validate(model.sensor);
              });
  return model;
}

std::string beam_model_text(const BeamModel& model) {
  validate(model.parameters);
  validate(model.sensor);
  std::string text = "# Beam model of a range finder. The four weights sum to 1.\n";
  add_lines(text, model.parameters);
  if (model.parameters.tail.is_extended()) add_tail(text, model.parameters.tail);
  text += "\n# The sensor, and how its readings are taken.\n";
  add_lines(text, model.sensor);
  add_lines(text, model);
  return text;
}

BeamModel BeamModel::read(const std::filesystem::path& file) {
  return within_memory(file, [&] { return read_beam_model_text(read_yaml_text(file), file); });
}

void BeamModel::write(const std::filesystem::path& file) const { write_whole_file(file, beam_model_text(*this)); }

std::string field_model_text(const LikelihoodFieldModel& model) {
  validate(model);
  std::string text = "# Likelihood field of a range finder. The two weights sum to 1.\n";
  add_lines(text, model);
  return text;
}

LikelihoodFieldModel LikelihoodFieldModel::read(const std::filesystem::path& file) {
  return within_memory(file, [&] {
    const YamlValue root = parse_yaml(read_yaml_text(file), file.string());
    refuse_other_kind(root, YamlFileKind::kBeamModel);
    if (root.find("w_short") != nullptr) {
      throw LocatedError(to_string(root.mark), ": these are parameters of a beam model, not of a likelihood field",
                         Hint{"model", "beam"});
    }
    YamlReader map(root);
    LikelihoodFieldModel model;
    read_fields(map, model);
    map.finish();
    with_prefix([&] { return to_string(root.mark); }, [&] { validate(model); });
    return model;
  });
}

void LikelihoodFieldModel::write(const std::filesystem::path& file) const {
  write_whole_file(file, field_model_text(*this));
}

// Parameters as the nodes of localizers read them.

namespace {

// Of all readings: more shorts that a localizer takes for random is worth a note.
constexpr double kDeadShorts = 0.001, kCutShorts = 0.01;
constexpr double kUsualRangeM = 5.0;   // where shorts that are not cut are counted
constexpr double kUniformRate = 0.01;  // 1/m: within a hundred metres such shorts are nearly uniform
/// beluga divides by 1 - exp(-lambda z*). So small a rate is uniform to single precision, and 0 is no number.
constexpr double kLeastBelugaRate = 1e-6;

std::string_view name_of(Localizer localizer) { return kChoiceWords<Localizer>[static_cast<std::size_t>(localizer)]; }

/// Before weights are scaled to sum 1.
double hit_weight(Localizer localizer, double w_hit, double sigma_hit_m) {
  return localizer == Localizer::kBeluga ? w_hit : w_hit * math::kInverseSqrtTwoPi / sigma_hit_m;
}

/// Explains how amcl and nav2 take shorts, which they do not normalise; empty if that matters little.
std::string shorts_note(const BeamParameters& p, Localizer localizer) {
  if (localizer == Localizer::kBeluga) return "";
  const std::string_view name = name_of(localizer);
  const double rate = p.lambda_short_per_m;
  if (rate < kUniformRate && p.w_short > kDeadShorts) {
    return fmt::format(
        "{} has no uniform shorts: with lambda_short {:.3g} its z_short, {:.2g}, is ignored, and the {:.2g} % "
        "of readings that are short count as random",
        name, rate, localizer_beam(p, localizer).z_short, 100.0 * p.w_short);
  }
  if (!(p.w_short * std::exp(-rate * kUsualRangeM) > kCutShorts)) return "";
  return fmt::format(
      "{} does not cut shorts at the expected range: where that is below {:.3g} m, it takes them for less than half as "
      "likely",
      name, std::numbers::ln2 / rate);
}

/// The shortest text of a number as both YAML and ROS 2 read it: no exponent, at least one digit after the point.
std::string decimal(double value) {
  std::array<char, 400> text = {};  // the largest double has 309 digits
  const std::to_chars_result written =
      std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed);
  std::string out(text.data(), written.ptr);
  return out.find('.') == std::string::npos ? out + ".0" : out;
}

/// The same of a learned number, in five digits, which change it by less than its standard error.
std::string learned(double value) {
  const std::string digits = fmt::format("{:.5g}", value);
  double rounded = 0.0;
  std::from_chars(digits.data(), digits.data() + digits.size(), rounded);  // std::stod depends on the locale
  return decimal(rounded);
}

using LocalizerNumbers = std::vector<std::pair<std::string, double>>;

/// Parameters of a node as YAML, under `comments`. In ROS 1 learned numbers have a prefix. A length of 0 is left out.
std::string parameter_text(Localizer localizer, std::string_view type, const std::string& comments,
                           const LocalizerNumbers& learned_numbers, const LocalizerNumbers& lengths) {
  const bool is_ros1 = localizer == Localizer::kAmcl;
  const std::string indent = is_ros1 ? "" : "    ", prefix = is_ros1 ? "laser_" : "";
  std::string text = comments;
  if (!is_ros1) text += "amcl:\n  ros__parameters:\n";
  text += fmt::format("{}laser_model_type: \"{}\"\n", indent, type);
  for (const auto& [name, value] : learned_numbers)
    text += fmt::format("{}{}{}: {}\n", indent, prefix, name, learned(value));
  for (const auto& [name, value] : lengths) {
    if (value > 0.0) text += fmt::format("{}{}: {}\n", indent, name, decimal(value));
  }
  return text;
}

}  // namespace

void check_hit_law(HitLaw law, Localizer localizer) {
  if (law == HitLaw::kGaussian) return;
  throw InputError(name_of(localizer), " knows hits that are gaussian only, and these are ",
                   kChoiceWords<HitLaw>[static_cast<std::size_t>(law)], ": learn with ", Setting{"hit"},
                   " gaussian for it");
}

LocalizerBeam localizer_beam(const BeamParameters& p, Localizer localizer) {
  validate(p);
  check_hit_law(p.tail.hit, localizer);
  const double hit = hit_weight(localizer, p.w_hit, p.sigma_hit_m);
  const double sum = hit + p.w_short + p.w_max + p.w_rand;
  const double rate =
      localizer == Localizer::kBeluga ? std::max(kLeastBelugaRate, p.lambda_short_per_m) : p.lambda_short_per_m;
  return {hit / sum, p.w_short / sum, p.w_max / sum, p.w_rand / sum, p.sigma_hit_m, rate};
}

std::vector<std::string> localizer_notes(const BeamParameters& p, Localizer localizer) {
  std::vector<std::string> notes;
  const std::string_view name = name_of(localizer);
  if (p.hit_offset_m != 0.0) {
    notes.push_back(fmt::format("{} has no hit offset: this model has {:.4g} m; learn without it for {}", name,
                                p.hit_offset_m, name));
  }
  if (p.w_max > 0.0 && localizer != Localizer::kBeluga) {
    notes.push_back(fmt::format(
        "{} takes a reading for one without a return where it equals laser_max_range; longer ones, and inf, "
        "weigh nothing",
        name));
  }
  if (const std::string note = shorts_note(p, localizer); !note.empty()) notes.push_back(note);
  return notes;
}

std::string BeamModel::localizer_text(Localizer localizer) const {
  validate(sensor);
  const LocalizerBeam b = localizer_beam(parameters, localizer);
  std::string comments = fmt::format("# The beam model of {}, as learned by fathom.\n", name_of(localizer));
  if (localizer != Localizer::kBeluga) {
    comments +=
        "# z_hit : z_short : z_max : z_rand = w_hit / (sigma_hit sqrt(2 pi)) : w_short : w_max : w_rand, because its "
        "hit\n# term lacks 1 / (sigma_hit sqrt(2 pi)).\n";
  }
  for (const std::string& note : localizer_notes(parameters, localizer)) comments += "# Note: " + note + ".\n";
  return parameter_text(localizer, "beam", comments,
                        {{"z_hit", b.z_hit},
                         {"z_short", b.z_short},
                         {"z_max", b.z_max},
                         {"z_rand", b.z_rand},
                         {"sigma_hit", b.sigma_hit},
                         {"lambda_short", b.lambda_short}},
                        {{"laser_max_range", sensor.max_range_m}, {"laser_min_range", sensor.min_range_m}});
}

LocalizerField localizer_field(const LikelihoodFieldModel& model, Localizer localizer) {
  validate(model);
  const double hit = hit_weight(localizer, model.w_hit, model.sigma_hit_m), sum = hit + model.w_rand;
  return {hit / sum, model.w_rand / sum, model.sigma_hit_m, model.max_distance_m};
}

std::string LikelihoodFieldModel::localizer_text(Localizer localizer) const {
  const LocalizerField f = localizer_field(*this, localizer);
  std::string comments = fmt::format("# The likelihood field of {}, as learned by fathom.\n", name_of(localizer));
  if (localizer != Localizer::kBeluga) {
    comments +=
        "# z_hit : z_rand = w_hit / (sigma_hit sqrt(2 pi)) : w_rand, because its hit term lacks 1 / (sigma_hit sqrt(2 "
        "pi)).\n";
  }
  return parameter_text(localizer, "likelihood_field", comments,
                        {{"z_hit", f.z_hit}, {"z_rand", f.z_rand}, {"sigma_hit", f.sigma_hit}},
                        {{"laser_likelihood_max_dist", f.laser_likelihood_max_dist},
                         {"laser_max_range", max_range_m},
                         {"laser_min_range", min_range_m}});
}

std::string localizer_file_name(Localizer localizer) { return std::string(name_of(localizer)) + ".yaml"; }

}  // namespace fathom
