// SPDX-License-Identifier: MIT
// Intensities by material and range: closed forms.

#include "render/test_scenes.hpp"

namespace fathom::test {
namespace {

/// A floor 2 m below a sensor whose rays fan out from straight down to the horizon.
Scene make_floor(const Material& material) {
  Scene scene;
  scene.add_material(material);
  const MeshId plane = scene.add_mesh(make_plane(2000, 2000));
  Entity floor = {.name = "floor", .mesh = plane, .parent_from_entity = Pose{{0, 0, -2}, {}}};
  floor.material = material.name;
  scene.add_entity(floor);
  return scene;
}

Sensor make_fan() {
  RayPattern rays;
  rays.rows = 1, rays.cols = 80;
  for (int i = 0; i < 80; ++i) {
    const double a = i * 0.019;
    rays.direction_x.push_back(static_cast<float>(std::sin(a))), rays.direction_y.push_back(0);
    rays.direction_z.push_back(static_cast<float>(-std::cos(a)));
  }
  rays.min_range_m = {0}, rays.max_range_m = {1000};
  return make_sensor(rays);
}

template <class F>
void expect_law(const Frame& f, F law) {
  for (std::size_t i = 0; i < f.size(); ++i) {
    const double wanted = law(double{f.incidence_rad()[i]}, double{f.clean_range_m()[i]});
    EXPECT_NEAR(f.intensity()[i], wanted, 1e-5 * (1 + wanted)) << i;
  }
}

TEST(Intensity, OfALambertMaterialIsThatOfAnEntityWithoutOne) {
  const Frame with = render_once(make_floor({.name = "matt", .reflectivity = 0.3F}), make_fan());
  Scene plain;
  const MeshId plane = plain.add_mesh(make_plane(2000, 2000));
  plain.add_entity({.name = "floor", .mesh = plane, .parent_from_entity = Pose{{0, 0, -2}, {}}, .reflectivity = 0.3F});
  EXPECT_TRUE(same_bits(with.intensity(), render_once(plain, make_fan()).intensity()));
}

TEST(Intensity, OfAMaterialIsTheSameInEachEnvironmentBesideOneThatIsDrawn) {
  Scene scene =
      make_floor({.name = "sign", .reflectivity = 0.3F, .law = Material::Law::kRetro, .gain = 9, .width_rad = 0.3F});
  scene.add_entity({.name = "far", .mesh = MeshId{0}, .parent_from_entity = Pose{{0, 0, -900}, {}}});
  const Frame alone = render_once(scene, make_fan());
  ParameterRange range = {.field = "reflectivity", .low = 0.1, .high = 0.9};
  range.target = ParameterRange::Target::kEntity, range.entity = EntityId{1};
  Environments batch(scene, {.count = 3, .entity_ranges = {range}});
  const SensorId fan = batch.add_sensor(make_fan());
  Frame frame({Channel::kIntensity});
  batch.render(fan, 0, frame);
  for (std::size_t e = 0; e < 3; ++e) {
    EXPECT_TRUE(same_bits(frame.intensity().subspan(e * alone.size(), alone.size()), alone.intensity())) << e;
  }
}

TEST(Intensity, OfATableIsLinearBetweenItsEntries) {
  const Material material = {.name = "paint",
                             .reflectivity = 0.5F,
                             .law = Material::Law::kTable,
                             .table = {{0.2F, 1.0F}, {0.6F, 0.4F}, {1.4F, 0.0F}}};
  expect_law(render_once(make_floor(material), make_fan()), [](double a, double) {
    if (a <= 0.2) return 0.5;
    if (a < 0.6) return 0.5 * (1.0 - 0.6 * (a - 0.2) / 0.4);
    return a < 1.4 ? 0.5 * 0.4 * (1.4 - a) / 0.8 : 0.0;
  });
}

TEST(Intensity, OfARetroReflectorHasALobeBackToTheEmitter) {
  const Material material = {
      .name = "sign", .reflectivity = 0.8F, .law = Material::Law::kRetro, .gain = 30.0F, .width_rad = 0.5F};
  expect_law(render_once(make_floor(material), make_fan()),
             [](double a, double) { return 0.8 * (std::cos(a) + 30 * std::exp(-a * a / 0.25)); });
}

TEST(Intensity, FallsWithTheSquareOfTheRangeBeyondTheReference) {
  Sensor fan = make_fan();
  fan.falloff = {.law = FalloffLaw::kInverseSquare, .reference_m = 3.0F};
  expect_law(render_once(make_floor({.name = "matt", .reflectivity = 0.9F}), fan),
             [](double a, double range) { return 0.9 * std::cos(a) * (range > 3 ? 9 / (range * range) : 1.0); });
}

TEST(Intensity, OfADivergingRayIsTheSumOfItsSamples) {
  Sensor fan = make_fan();
  fan.divergence = {.horizontal_rad = 0.002F, .vertical_rad = 0.002F};
  fan.falloff = {.law = FalloffLaw::kInverseSquare, .reference_m = 3.0F};
  const Frame f = render_once(make_floor({.name = "matt", .reflectivity = 0.9F}), fan);
  for (std::size_t i = 0; i < 70; ++i) {
    const double a = 0.019 * static_cast<double>(i), range = 2 / std::cos(a);
    EXPECT_NEAR(f.intensity()[i], 0.9 * std::cos(a) * (range > 3 ? 9 / (range * range) : 1.0), 5e-3) << i;
  }
}

TEST(Intensity, MaterialsAreCheckedByName) {
  const auto message = [](const Material& material) { return input_error([&] { make_floor(material); }); };
  EXPECT_EQ(message({.name = ""}), "a material needs a name");
  EXPECT_EQ(message({.name = "m", .reflectivity = 1.5F}), "material 'm': reflectivity = 1.5 is not in [0, 1]");
  EXPECT_EQ(message({.name = "m", .reflectivity = std::nanf("")}), "material 'm': reflectivity = nan is not in [0, 1]");
  EXPECT_EQ(message({.name = "m", .gain = 2}), "material 'm': a gain is for the law retro");
  EXPECT_EQ(message({.name = "m", .law = Material::Law::kTable, .table = {{0, 1}}}),
            "material 'm': table has 1 entries, not 2 to 64");
  EXPECT_EQ(message({.name = "m", .law = Material::Law::kTable, .table = {{0.5F, 1}, {0.5F, 0}}}),
            "material 'm': the angles of its table do not ascend at entry 1");
  EXPECT_NE(message({.name = "m", .law = Material::Law::kRetro, .gain = 2}), "");
  Scene scene = make_floor({.name = "asphalt"});
  EXPECT_THROW(scene.add_material({.name = "asphalt"}), InputError);
  Entity entity = {.name = "road"};
  entity.material = "asfalt";
  EXPECT_EQ(input_error([&] { scene.add_entity(entity); }),
            "entity 'road': there is no material 'asfalt' (nearest known: 'asphalt')");
}

}  // namespace
}  // namespace fathom::test
