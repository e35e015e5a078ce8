// SPDX-License-Identifier: MIT
// parameters.yaml.
#include <algorithm>
#include <array>
#include <optional>

#include <fmt/format.h>

#include <fathom/core/error.hpp>
#include <fathom/fit/beam.hpp>

#include "core/errors.hpp"
#include "core/text/files.hpp"
#include "core/text/read_fields.hpp"
#include "core/text/yaml.hpp"
#include "fit/report/sections.hpp"

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

BeamModel read_beam_model(const std::filesystem::path& file) {
  return within_memory(file, [&] { return read_beam_model_text(read_yaml_text(file), file); });
}

void write_beam_model(const std::filesystem::path& file, const BeamModel& model) {
  write_whole_file(file, beam_model_text(model));
}

std::string field_model_text(const LikelihoodFieldModel& model) {
  validate(model);
  std::string text = "# Likelihood field of a range finder. The two weights sum to 1.\n";
  add_lines(text, model);
  return text;
}

LikelihoodFieldModel read_field_model(const std::filesystem::path& file) {
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

void write_field_model(const std::filesystem::path& file, const LikelihoodFieldModel& model) {
  write_whole_file(file, field_model_text(model));
}

}  // namespace fathom
