// SPDX-License-Identifier: MIT
// `fathom noise` and `fathom sensors`: complete against the registries of the library.

#include <fathom/noise/noise.hpp>
#include <fathom/sensor/kinds.hpp>
#include <fathom/sensor/presets.hpp>
#include <fathom/simulate/sensor.hpp>

#include "process.hpp"

namespace cli_test {
namespace {

Ended run_well(const Words& arguments) {
  Ended ended = succeed(arguments);
  EXPECT_EQ(ended.err, "");
  return ended;
}

TEST(NoiseList, ShowsEveryModelAndEveryField) {
  const std::string all = run_well({"noise"}).out;
  for (const fathom::NoiseInfo& model : fathom::noise_models()) {
    EXPECT_TRUE(contains(all, model.slug)) << model.slug;
    const std::string one = run_well({"noise", std::string(model.slug)}).out;
    for (const fathom::FieldInfo& field : model.fields) {
      EXPECT_TRUE(contains(one, field.name)) << model.slug << "." << field.name;
      EXPECT_TRUE(contains(one, field.doc)) << model.slug << "." << field.name;
    }
  }
}

TEST(NoiseList, JsonHoldsTheFieldTables) {
  const json list = json::parse(run_well({"noise", "--json"}).out);
  ASSERT_EQ(list.size(), fathom::noise_models().size());
  for (std::size_t m = 0; m < list.size(); ++m) {
    const fathom::NoiseInfo& model = fathom::noise_models()[m];
    EXPECT_EQ(list[m]["slug"], model.slug);
    ASSERT_EQ(list[m]["fields"].size(), model.fields.size());
    for (std::size_t f = 0; f < model.fields.size(); ++f) {
      const json& field = list[m]["fields"][f];
      EXPECT_EQ(field["name"], model.fields[f].name);
      EXPECT_EQ(field["unit"], model.fields[f].unit);
      if (!model.fields[f].choices.empty()) {
        EXPECT_EQ(field["choices"].size(), model.fields[f].choices.size());
      } else if (model.fields[f].kind == fathom::FieldKind::kFlag) {
        EXPECT_EQ(field["default"].get<bool>(), model.fields[f].default_numbers.at(0) != 0.0);
      } else {
        EXPECT_EQ(field["min"].get<double>(), model.fields[f].low);
        EXPECT_EQ(field["max"].get<double>(), model.fields[f].high);
        EXPECT_EQ(field["default"].get<double>(), std::stod(model.fields[f].default_value));
      }
    }
  }
}

TEST(NoiseList, UnknownModelNamesTheNearest) {
  EXPECT_TRUE(contains(refusal_of(run_fathom({"noise", "distnace"})), "'distance'"));
}

/// The part of a page under each heading "## ...", by heading.
std::map<std::string, std::string> sections_of(const std::string& page) {
  constexpr std::string_view kMark = "\n## ";
  std::map<std::string, std::string> sections;
  for (std::size_t at = page.find(kMark); at != std::string::npos;) {
    const std::size_t next = page.find(kMark, at + 1), text = page.find('\n', at + 1);
    sections[page.substr(at + kMark.size(), text - at - kMark.size())] = page.substr(text, next - text);
    at = next;
  }
  return sections;
}

TEST(NoisePage, HoldsTheTablesOfAllModels) {
  const std::filesystem::path file = std::filesystem::path(FATHOM_SOURCE_DIR) / "docs/noise.md";
  std::map<std::string, std::string> page = sections_of(bytes_of(file));
  const auto tables = sections_of(run_well({"noise", "--markdown"}).out);
  EXPECT_EQ(tables.size(), fathom::noise_models().size() + 1);
  for (const auto& [heading, table] : tables) {
    EXPECT_TRUE(contains(page[heading], table))
        << "docs/noise.md should hold what 'fathom noise --markdown' prints:\n## " << heading << table;
  }
}

TEST(SensorsPage, HoldsTheTablesOfAllKinds) {
  const std::string page = bytes_of(std::filesystem::path(FATHOM_SOURCE_DIR) / "docs/sensors.md");
  EXPECT_TRUE(page.ends_with(run_well({"sensors", "--markdown"}).out))
      << "The end of docs/sensors.md is stale. It is what build/release/bin/fathom sensors --markdown prints.";
}

TEST(NoisePage, LinksToHeadersThatExist) {
  for (const fathom::NoiseInfo& model : fathom::noise_models()) {
    const std::string header = "include/fathom/noise/" + std::string(model.slug) + ".hpp";
    EXPECT_TRUE(std::filesystem::exists(std::filesystem::path(FATHOM_SOURCE_DIR) / header)) << header;
  }
}

TEST(SensorList, ShowsEveryPresetAndKind) {
  const std::string all = run_well({"sensors"}).out;
  for (const fathom::SensorPreset& preset : fathom::sensor_presets()) {
    EXPECT_TRUE(contains(all, preset.name)) << preset.name;
    const std::string one = run_well({"sensors", std::string(preset.name)}).out;
    EXPECT_TRUE(contains(one, preset.source)) << preset.name;
  }
  for (const fathom::SensorKindInfo& kind : fathom::sensor_kinds()) {
    EXPECT_TRUE(contains(all, kind.slug)) << kind.slug;
    const std::string one = run_well({"sensors", std::string(kind.slug)}).out;
    for (const fathom::FieldInfo& field : kind.fields) {
      EXPECT_TRUE(contains(one, field.doc)) << kind.slug << "." << field.name;
    }
  }
}

/// The word of a choice, given its position as a number.
std::string choice_word(std::string_view kind, const std::string& field, double position) {
  for (const fathom::SensorKindInfo& info : fathom::sensor_kinds()) {
    if (info.slug != kind) continue;
    for (const fathom::FieldInfo& f : info.fields) {
      if (f.name == field) return std::string(f.choices[static_cast<std::size_t>(position)]);
    }
  }
  return "no such choice";
}

TEST(SensorList, JsonHoldsShapesAndValues) {
  const json all = json::parse(run_well({"sensors", "--json"}).out);
  ASSERT_EQ(all["presets"].size(), fathom::sensor_presets().size());
  for (std::size_t p = 0; p < all["presets"].size(); ++p) {
    const fathom::SensorPreset& preset = fathom::sensor_presets()[p];
    const fathom::RayPattern pattern = fathom::make_pattern(preset.model);
    EXPECT_EQ(all["presets"][p]["name"], preset.name);
    EXPECT_EQ(all["presets"][p]["rows"], pattern.rows);
    EXPECT_EQ(all["presets"][p]["columns"], pattern.cols);
    ASSERT_EQ(all["presets"][p]["noise"].size(), preset.noise.size());
    for (std::size_t k = 0; k < preset.noise.size(); ++k) {
      const json& entry = all["presets"][p]["noise"][k];
      const fathom::Correlation& correlation = preset.noise[k].correlation;
      ASSERT_EQ(entry.contains("correlation"), !correlation.is_white()) << preset.name << " " << k;
      if (correlation.is_white()) continue;
      EXPECT_EQ(entry["correlation"]["across_px"].get<float>(), correlation.across_px);
      EXPECT_EQ(entry["correlation"]["shape"],
                fathom::kChoiceWords<fathom::CorrelationShape>[static_cast<std::size_t>(correlation.shape)]);
    }
    for (const auto& [name, value] : all["presets"][p]["fields"].items()) {
      const std::vector<double> expected = fathom::get_sensor_field(preset.model, name);
      if (value.is_array()) {
        EXPECT_EQ(value.get<std::vector<double>>(), expected) << preset.name << "." << name;
      } else if (value.is_string()) {
        EXPECT_EQ(value.get<std::string>(), choice_word(sensor_kind(preset.model), name, expected.at(0)))
            << preset.name << "." << name;
      } else {
        const double number = value.is_boolean() ? static_cast<double>(value.get<bool>()) : value.get<double>();
        EXPECT_EQ(number, expected.at(0)) << preset.name << "." << name;
      }
    }
  }
  EXPECT_EQ(all["kinds"].size(), fathom::sensor_kinds().size());
}

TEST(SensorList, OnePresetOrKindAsJson) {
  EXPECT_EQ(json::parse(run_well({"sensors", "VLP-16", "--json"}).out)["rows"], 16);
  EXPECT_EQ(json::parse(run_well({"sensors", "laser_2d", "--json"}).out)["kind"], "laser_2d");
}

TEST(SensorList, UnknownNameNamesTheNearest) {
  EXPECT_TRUE(contains(refusal_of(run_fathom({"sensors", "VLP-61"})), "VLP-16"));
}

TEST(SensorList, CaseAndHyphensDoNotMatter) {
  EXPECT_EQ(run_well({"sensors", "vlp16"}).out, run_well({"sensors", "VLP-16"}).out);
  EXPECT_EQ(run_well({"sensors", "Laser2D"}).out, run_well({"sensors", "laser_2d"}).out);
  EXPECT_EQ(run_well({"noise", "DISTANCE"}).out, run_well({"noise", "distance"}).out);
  EXPECT_EQ(run_well({"noise", "angular-hit"}).out, run_well({"noise", "angular_hit"}).out);
}

}  // namespace
}  // namespace cli_test
