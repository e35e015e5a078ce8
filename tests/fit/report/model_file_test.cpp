// SPDX-License-Identifier: MIT
// parameters.yaml: what is written is read back; slips are named with line and key.

#include <fathom/fit/beam.hpp>

#include "report/report.hpp"
#include "support/expect.hpp"

namespace fathom::test::model_file_test {
namespace {

BeamModel odd_model() {
  BeamModel model;
  model.parameters = {.7, .1, .05, .15, .0371, 1.0 / 3.0, -.04};
  model.sensor = {81.83, .1, .01, .0125, MissPolicy::kAtom, NanPolicy::kMax};
  model.unknown = UnknownCells::kStop;
  return model;
}

void expect_equal(const BeamModel& a, const BeamModel& b) {
  EXPECT_EQ(a.parameters, b.parameters);
  EXPECT_EQ(a.sensor.max_range_m, b.sensor.max_range_m);
  EXPECT_EQ(a.sensor.min_range_m, b.sensor.min_range_m);
  EXPECT_EQ(a.sensor.step_m, b.sensor.step_m);
  EXPECT_EQ(a.sensor.expected_floor_m, b.sensor.expected_floor_m);
  EXPECT_EQ(a.sensor.miss, b.sensor.miss);
  EXPECT_EQ(a.sensor.nan, b.sensor.nan);
  EXPECT_EQ(a.unknown, b.unknown);
}

TEST(ModelFile, ReadsWhatItWrites) {
  const TemporaryFolder folder;
  odd_model().write(folder.path() / "parameters.yaml");
  expect_equal(BeamModel::read(folder.path() / "parameters.yaml"), odd_model());
}

TEST(ModelFile, KeepsDoublesThatAreFloats) {
  BeamModel model;
  model.parameters.sigma_hit_m = static_cast<double>(0.1F);  // not 0.1
  model.sensor.max_range_m = static_cast<double>(81.83F);
  expect_equal(read_beam_model_text(beam_model_text(model), "p.yaml"), model);
}

TEST(ModelFile, KeepsNumbersOfAnyLength) {
  BeamModel model;
  model.parameters.lambda_short_per_m = 12 * 1e-5;  // 0.00012000000000000002, up to where the comments stand
  model.parameters.hit_offset_m = -1.2345678901234567e-05;
  expect_equal(read_beam_model_text(beam_model_text(model), "p.yaml"), model);
}

TEST(ModelFile, KeepsExtendedLawsOfHits) {
  for (const HitTail& tail : {HitTail{HitLaw::kStudentT, 1.0 / 3.0 + 1, 0}, HitTail{HitLaw::kGrows, 4, 1.0 / 300}}) {
    BeamModel model = odd_model();
    model.parameters.tail = tail;
    const BeamModel read = read_beam_model_text(beam_model_text(model), "p.yaml");
    EXPECT_EQ(read.parameters.tail.hit, tail.hit);
    EXPECT_EQ(read.parameters.tail.*member_of<double>(HitTail::field_of(tail.hit)),
              tail.*member_of<double>(HitTail::field_of(tail.hit)));
  }
}

/// Files of the book's model equal the files of versions that knew no other model.
TEST(ModelFile, SaysNothingOfLawsThatItDoesNotUse) {
  for (const auto& field : HitTail::fields()) {
    EXPECT_FALSE(contains(beam_model_text(odd_model()), "\n" + std::string(field.name) + ":")) << field.name;
  }
  EXPECT_EQ(read_beam_model_text("hit: gaussian\n" + beam_model_text(odd_model()), "p.yaml").parameters.tail,
            HitTail{});
}

TEST(ModelFile, RefusesNumbersOfAnotherLawOfHits) {
  const auto error = [](const std::string& lines) {
    return input_error([&] { read_beam_model_text(lines + beam_model_text(odd_model()), "p.yaml"); });
  };
  EXPECT_EQ(error("nu_hit: 2\n"), "p.yaml:1:9: nu_hit is for hit: student_t");
  EXPECT_EQ(error("hit: grows\nsigma_hit_per_m: 0.01\nnu_hit: 2\n"), "p.yaml:3:9: nu_hit is for hit: student_t");
  EXPECT_EQ(error("hit: student_t\n"), "p.yaml:1:6: hit is student_t, which needs nu_hit");
  EXPECT_EQ(error("hit: student_t\nnu_hit: 0.1\n"), "p.yaml:2:9: nu_hit = 0.1 is not in [0.5, 1000000]");
  EXPECT_EQ(error("hit: grows\nsigma_hit_per_m: 2\n"), "p.yaml:2:18: sigma_hit_per_m = 2 is not in [0, 1] m/m");
  EXPECT_TRUE(contains(error("hit: studnet_t\n"), "student_t"));
}

RC_GTEST_PROP(ModelFile, KeepsEveryBit, ()) {
  const auto weight = [] { return static_cast<double>(*rc::gen::inRange(1, 1000000)); };
  BeamModel model;
  BeamParameters& p = model.parameters;
  p = {weight(), weight(), weight(), weight(), weight() * 1.1e-6, weight() * 1e-5, weight() * 1e-6};
  const double sum = p.w_hit + p.w_short + p.w_max + p.w_rand;
  p.w_hit /= sum, p.w_short /= sum, p.w_max /= sum, p.w_rand /= sum;
  RC_ASSERT(read_beam_model_text(beam_model_text(model), "p.yaml").parameters == p);
}

TEST(ModelFile, DocumentsEveryKeyWithItsUnit) {
  const std::string text = beam_model_text({});
  for (const auto& field : BeamParameters::fields()) {
    const std::size_t at = text.find("\n" + std::string(field.name) + ": ");
    ASSERT_NE(at, std::string::npos) << field.name;
    const std::string line = text.substr(at + 1, text.find('\n', at + 1) - at - 1);
    EXPECT_TRUE(contains(line, "# "));
    if (field.unit != "1") {
      EXPECT_TRUE(contains(line, "# " + std::string(field.unit) + ": "));
    }
  }
}

struct Slip {
  const char *find, *replace;
  std::vector<const char*> expected;  ///< each in the message
};

class Slips : public testing::TestWithParam<Slip> {};

TEST_P(Slips, AreNamedWithLineAndKey) {
  std::string text = beam_model_text({});
  const std::size_t at = text.find(GetParam().find);
  ASSERT_NE(at, std::string::npos);
  text.replace(at, std::string(GetParam().find).size(), GetParam().replace);
  const std::string message = input_error([&] { read_beam_model_text(text, "p.yaml"); });
  for (const char* part : GetParam().expected) EXPECT_TRUE(contains(message, part));
}

INSTANTIATE_TEST_SUITE_P(
    Keys, Slips,
    testing::Values(Slip{"w_short", "w_shrot", {"p.yaml:", "w_short", "missing", "w_shrot"}},
                    Slip{"min_range_m:", "min_rage_m:", {"p.yaml:12:1", "min_rage_m", "min_range_m"}},
                    Slip{"\nstep_m:", "\nsensor_step_m:", {"p.yaml:13:16: sensor_step_m is called step_m now"}},
                    Slip{"sigma_hit_m: 0.1", "sigma_hit_m: -1", {"p.yaml:6:14", "sigma_hit_m = -1", "[1e-06, 1"}},
                    Slip{"sigma_hit_m: 0.1", "sigma_hit_m: .nan", {"p.yaml:6:14", "sigma_hit_m", "nan"}},
                    Slip{"w_hit: 0.7", "w_hit: 0.8", {"p.yaml:2", "1.1 is not 1"}},
                    Slip{"max_range_m: 30", "max_range_m: far", {"p.yaml:11:14", "max_range_m", "far"}},
                    Slip{"miss: atom", "miss: atmo", {"p.yaml:15:7", "miss = atmo", "atom"}},
                    Slip{"w_max: 0.05", "w_hit: 0.05", {"p.yaml:4:1", "w_hit", "twice"}}));

TEST(ModelFile, RefusesToWriteAnInvalidModel) {
  BeamModel model;
  model.parameters.w_rand = .2;
  EXPECT_TRUE(contains(input_error([&] { beam_model_text(model); }), "is not 1"));
}

TEST(ModelFile, HasDefaultsForWhatIsOptional) {
  const BeamModel model = read_beam_model_text(
      "{w_hit: 1, w_short: 0, w_max: 0, w_rand: 0, sigma_hit_m: 0.1, lambda_short_per_m: 0, max_range_m: 5}", "p.yaml");
  EXPECT_EQ(model.parameters.hit_offset_m, 0.0);
  EXPECT_EQ(model.sensor.min_range_m, BeamSensor{}.min_range_m);
  EXPECT_EQ(model.sensor.miss, MissPolicy::kAtom);
}

}  // namespace
}  // namespace fathom::test::model_file_test
