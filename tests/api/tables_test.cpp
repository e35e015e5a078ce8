// SPDX-License-Identifier: MIT
// A law over all tables of parameters that the library has.

#include <fathom/fathom.hpp>
#include <fathom/fit/beam.hpp>
#include <fathom/frame/frame.hpp>
#include <fathom/sensor/kinds.hpp>

#include "support/expect.hpp"

namespace fathom::test {
namespace {

struct Table {
  std::string_view slug;
  std::vector<FieldInfo> fields;
};

std::vector<Table> all_tables() {
  std::vector<Table> tables = {{BeamParameters::kSlug, describe<BeamParameters>()},
                               {BeamSensor::kSlug, describe<BeamSensor>()},
                               {BeamModel::kSlug, describe<BeamModel>()}};
  for (const NoiseInfo& model : noise_models()) tables.push_back({model.slug, model.fields});
  for (const SensorKindInfo& kind : sensor_kinds()) tables.push_back({kind.slug, kind.fields});
  for (const OutputInfo& kind : output_list()) tables.push_back({kind.slug, kind.options});
  return tables;
}

/// The unit of a choice repeats its words or is empty. No other unit lists words.
TEST(Tables, GiveTheWordsOfAChoiceAsItsUnit) {
  int choices = 0;
  for (const Table& table : all_tables()) {
    for (const FieldInfo& field : table.fields) {
      const bool names_words = field.unit.find('|') != std::string_view::npos;
      if (field.kind != FieldKind::kChoice) {
        EXPECT_FALSE(names_words) << table.slug << "." << field.name;
        continue;
      }
      std::string words;
      for (const std::string_view word : field.choices) words += (words.empty() ? "" : "|") + std::string(word);
      EXPECT_TRUE(field.unit.empty() || field.unit == words) << table.slug << "." << field.name;
      choices += names_words ? 1 : 0;
    }
  }
  EXPECT_GE(choices, 12);
}

TEST(Channels, StandInTheirOwnOrder) {
  for (const ChannelInfo& channel : channel_list()) {
    EXPECT_EQ(&channel_info(channel.channel), &channel) << channel.name();
    EXPECT_EQ(channel.bytes(), size_of(channel.type) * channel.planes) << channel.name();
  }
}

}  // namespace
}  // namespace fathom::test
