// SPDX-License-Identifier: MIT
// Losses by angle and by energy, against their laws on tilted planes.

#include <fathom/sensor/presets.hpp>

#include "render/stereo_scenes.hpp"
#include "sensor/sensor_view.hpp"

namespace fathom::test {
namespace {

TEST(LossAngle, LosesExactlyWhatIsBeyondTheThreshold) {
  const TiltedPlane plane{2.0, 50 * kDeg};
  const StereoCamera camera = make_stereo(400, 40, 300, 0.05);
  const double limit = 60 * kDeg;
  const Frame frame =
      render_once(make_plane_scene(plane), make_sensor(camera, {LossAngle{.max_incidence_rad = float(limit)}}));
  const RayPattern pattern = make_pattern(camera);
  std::size_t lost = 0, kept = 0;
  for (std::size_t i = 0; i < frame.size(); ++i) {
    const double theta = std::acos(-dot(plane.normal(), direction_of(pattern, i)));
    if (theta >= std::numbers::pi / 2 || std::abs(theta - limit) < 1e-6) continue;
    ASSERT_EQ(frame.reason()[i] == Reason::kLossAngle, theta > limit) << theta / kDeg;
    ASSERT_NEAR(frame.incidence_rad()[i], theta, 2e-6);
    (theta > limit ? lost : kept) += 1;
  }
  EXPECT_GT(lost, 1000U);
  EXPECT_GT(kept, 1000U);
}

// The plane is tilted so that the middle ray meets it at the limit itself; one step of the limit decides.
TEST(LossAngle, TheLimitItselfIsKept) {
  const TiltedPlane plane{2.0, 60 * kDeg};
  const StereoCamera one = make_stereo(1, 1, 100, 0.0);
  const auto reason = [&](double limit_rad) {
    return render_once(make_plane_scene(plane), make_sensor(one, {LossAngle{.max_incidence_rad = float(limit_rad)}}))
        .reason()[0];
  };
  EXPECT_EQ(reason(60 * kDeg + 1e-6), Reason::kHit);
  EXPECT_EQ(reason(60 * kDeg - 1e-6), Reason::kLossAngle);
}

TEST(LossAngle, ActsOnASensorWithoutCameras) {
  SpinningLidar lidar = make_lidar(4, 360);
  const Frame frame = render_once(test::make_room_scene(), make_sensor(lidar, {LossAngle{.max_incidence_rad = 0.5F}}));
  for (std::size_t i = 0; i < frame.size(); ++i) {
    ASSERT_EQ(frame.reason()[i] == Reason::kLossAngle, frame.incidence_rad()[i] > 0.5F);
  }
  EXPECT_GT(count_of(frame, Reason::kLossAngle), 100U);
}

/// E of a hit, in double precision from the definition.
double energy_of(const Vec3& hit, const Vec3& n, const StereoRig& rig, EnergyAngle angle) {
  const auto unit = [](const Vec3& v) { return (1 / norm(v)) * v; };
  const Vec3 e = unit(-1.0 * hit);
  const auto cosine = [&](const Vec3& camera) {
    const Vec3 back = unit(camera - hit);
    return dot(n, angle == EnergyAngle::kCosine ? back : unit(back + e));
  };
  return std::min(cosine(rig.left_m), cosine(rig.right_m));
}

double probability_of(double e, const StereoEnergy& p) {
  if (e <= double{p.min_energy}) return 1.0;
  const double share = 1 - double{p.min_energy};
  const double x = p.normalization == EnergyNormalization::kDocument ? 1 - e / share : (1 - e) / share;
  return std::pow(std::clamp(x, 0.0, 1.0), double{p.pow});
}

/// Renders one tilted plane and compares the losses with the law, pixel by pixel in E and in sum in the loss.
void expect_law(double tilt_rad, const StereoEnergy& model) {
  const TiltedPlane plane{1.5, tilt_rad};
  const StereoCamera camera = make_stereo(300, 200, 1500, 0.12);
  const Frame frame = render_once(make_plane_scene(plane), make_sensor(camera, {model}));
  const RayPattern pattern = make_pattern(camera);
  const StereoRig rig = stereo_rig(camera);
  double expected = 0, variance = 0, lost = 0;
  for (std::size_t i = 0; i < frame.size(); ++i) {
    const Vec3 direction = direction_of(pattern, i);
    if (-dot(plane.normal(), direction) < 1e-2) continue;
    const double e = energy_of(plane.hit(direction), plane.normal(), rig, model.energy);
    ASSERT_NEAR(frame.energy()[i], e, 1e-5);
    if (std::abs(e - double{model.min_energy}) < 1e-5) continue;
    const double p = probability_of(e, model);
    expected += p, variance += p * (1 - p), lost += frame.reason()[i] != Reason::kHit;
    if (e <= double{model.min_energy}) {
      ASSERT_EQ(frame.reason()[i], Reason::kLowEnergy);
    } else {
      ASSERT_NE(frame.reason()[i], Reason::kLowEnergy);
    }
    if (p == 0) {
      ASSERT_EQ(frame.reason()[i], Reason::kHit);  // X < 0 loses nothing
    }
  }
  EXPECT_NEAR(lost, expected, 4 * std::sqrt(variance) + 1e-9) << tilt_rad / kDeg << " degrees, pow " << model.pow;
}

TEST(StereoEnergy, EmpiricalLossFollowsBothLawsFromZeroTo85Degrees) {
  for (const auto normalization : {EnergyNormalization::kDocument, EnergyNormalization::kThreshold}) {
    for (const auto energy : {EnergyAngle::kCosine, EnergyAngle::kHalfVector}) {
      for (double tilt = 0; tilt <= 85; tilt += 8.5) {
        expect_law(tilt * kDeg, {.min_energy = 0.2F, .pow = 2.5F, .normalization = normalization, .energy = energy});
      }
    }
  }
}

TEST(StereoEnergy, EverythingIsLostAtAndBelowTheThreshold) {
  const TiltedPlane plane{1.5, 80 * kDeg};  // E = 0.17 in the middle
  const Frame frame =
      render_once(make_plane_scene(plane),
                  make_sensor(make_stereo(20, 20, 1500, 0.1), {StereoEnergy{.min_energy = 0.3F, .pow = 0.01F}}));
  EXPECT_EQ(count_of(frame, Reason::kLowEnergy), frame.size());
}

TEST(StereoEnergy, NothingIsLostWhereXIsNegative) {
  // E > 1 - min_energy everywhere: the document's X is negative, and even pow 0.001 loses nothing.
  const Frame frame =
      render_once(make_plane_scene({1.5, 0.0}),
                  make_sensor(make_stereo(100, 100, 1500, 0.1), {StereoEnergy{.min_energy = 0.4F, .pow = 0.001F}}));
  EXPECT_EQ(count_of(frame, Reason::kHit), frame.size());
}

TEST(StereoEnergy, ActsOnASensorWithoutCameras) {
  const Frame f =
      render_once(test::make_room_scene(), make_sensor(make_lidar(8, 360), {StereoEnergy{.min_energy = 0.6F}}));
  for (std::size_t i = 0; i < f.size(); ++i) {
    ASSERT_NEAR(f.energy()[i], std::cos(f.incidence_rad()[i]), 1e-6);
    ASSERT_EQ(f.reason()[i], f.energy()[i] <= 0.6F ? Reason::kLowEnergy : Reason::kHit);  // X < 0 above
  }
  EXPECT_GT(count_of(f, Reason::kLowEnergy), 100U);
}

// The row of losses that the fit to 50 real structured-light frames gives, in percent as printed. Its angles, 41, 61,
// 66, 69, 71 and 74 degrees, are the rounded middles of bins of 2.5 degrees: with those all six numbers agree.
struct RowEntry {
  double bin_middle_deg, percent;
};
constexpr RowEntry kRealRow[] = {{41.25, 0.3}, {61.25, 0.5}, {66.25, 1.5}, {68.75, 3.2}, {71.25, 7.3}, {73.75, 16.5}};
constexpr double kRounding = 0.05;  // percent

TEST(StereoEnergy, ThresholdLawReproducesTheRealStructuredLightRow) {
  for (const auto& [degrees, percent] : kRealRow) {
    const double p = probability_of(
        std::cos(degrees * kDeg),
        {.min_energy = 0.18F, .pow = 14, .normalization = EnergyNormalization::kThreshold, .energy = {}});
    EXPECT_NEAR(100 * (1 - (1 - p) * (1 - 0.003)), percent, kRounding) << degrees;
  }
}

// The same row from rendered frames of the preset, within its rounding and four binomial deviations of the sample.
TEST(StereoEnergy, PresetRealStructuredLightReproducesTheRow) {
  const SensorPreset& preset = find_preset("real_structured_light");
  for (const auto& [degrees, percent] : kRealRow) {
    DepthCamera camera = std::get<DepthCamera>(preset.model);
    camera.fx = 3e6;  // all pixels within a hundredth of a degree
    const Frame f = render_once(make_plane_scene({1.0, degrees * kDeg}), make_sensor(camera, preset.noise));
    const double n = static_cast<double>(f.size()), p = percent / 100;
    const double lost = 100 * (1.0 - static_cast<double>(count_of(f, Reason::kHit)) / n);
    EXPECT_NEAR(lost, percent, kRounding + 400 * std::sqrt(p * (1 - p) / n)) << degrees;
  }
}

TEST(EntityEntries, GiveEachEntityItsOwnParametersAndTheSameDraws) {
  Scene scene;
  const MeshId wall = scene.add_mesh(make_plane(100, 50));
  scene.add_entity({.name = "left",
                    .mesh = wall,
                    .parent_from_entity = Pose{{2, 25, 0}, from_roll_pitch_yaw(0, -std::numbers::pi / 2, 0)}});
  scene.add_entity({.name = "right",
                    .mesh = wall,
                    .parent_from_entity = Pose{{2, -25, 0}, from_roll_pitch_yaw(0, -std::numbers::pi / 2, 0)}});
  const StereoEnergy base{.min_energy = 0.0F, .pow = 0.5F}, other{.min_energy = 0.99F, .pow = 1.0F};
  Sensor sensor = make_sensor(make_stereo(200, 100, 150, 0.05), {base});
  const Frame plain = render_once(scene, sensor);
  sensor.noise[0].by_entity = {{EntityId{1}, other}};
  const Frame rows = render_once(scene, sensor);
  std::size_t low = 0;
  for (std::size_t i = 0; i < plain.size(); ++i) {
    if (plain.entity_id()[i] == 0) {
      ASSERT_EQ(rows.reason()[i], plain.reason()[i]);
    } else {
      low += rows.reason()[i] == Reason::kLowEnergy;
    }
  }
  EXPECT_GT(low, 5000U);
}

TEST(EntityEntries, WrongOnesAreRefused) {
  const auto refusal = [](std::vector<EntityEntry> entries) {
    Simulator simulator(test::make_room_scene(), {.compute = {.threads = 1}});
    const NoiseChain chain = {LossAngle{.max_incidence_rad = 1}, {StereoEnergy{}, std::move(entries)}};
    return input_error([&] { simulator.add_sensor(make_sensor(make_stereo(8, 8, 8, 0.1), chain)); });
  };
  EXPECT_EQ(refusal({{EntityId{0}, StereoEnergy{}}}), "");
  EXPECT_EQ(refusal({{EntityId{99}, StereoEnergy{}}}), "sensor 'lidar': by_entity: entity 99 is not in [0, 3)");
  EXPECT_EQ(refusal({{EntityId{0}, LossAngle{}}}),
            "sensor 'lidar': by_entity: entry 1 of the chain is stereo_energy, not loss_angle");
  EXPECT_EQ(refusal({{EntityId{0}, StereoEnergy{}}, {EntityId{0}, StereoEnergy{}}}),
            "sensor 'lidar': by_entity: entry 1 of the chain has two for entity 0");
}

/// The lidar's rings, each with a different bias.
Sensor lidar_with_rings() {
  Sensor sensor = make_sensor(make_lidar(16, 90), {GainBias{.gain = 0.01F}});
  for (std::uint16_t ring = 0; ring < 16; ring += 3) {
    sensor.noise[0].by_ring.push_back({ring, GainBias{.gain = 0.02F, .bias_m = 0.1F * static_cast<float>(ring)}});
  }
  return sensor;
}

TEST(RingEntries, GiveEachRingItsOwnParameters) {
  const Frame f = render_once(test::make_room_scene(), lidar_with_rings());
  for (std::size_t i = 0; i < f.size(); ++i) {
    const double clean = f.clean_range_m()[i], ring = f.ring()[i];
    const double expected = f.ring()[i] % 3 == 0 ? 1.02 * clean + 0.1 * ring : 1.01 * clean;
    ASSERT_NEAR(f.range_m()[i], expected, 2e-6 * expected) << ring;
  }
}

TEST(RingEntries, TheDrawsOfARayAreTheSameWhateverItsEntry) {
  Sensor sensor = make_sensor(make_lidar(16, 90), {DistanceNoise{.stddev_m = 0.1F}});
  const Frame plain = render_once(test::make_room_scene(), sensor);
  sensor.noise[0].by_ring = {{4, DistanceNoise{.stddev_m = 0.2F}}, {5, DistanceNoise{}}};
  const Frame rows = render_once(test::make_room_scene(), sensor);
  for (std::size_t i = 0; i < plain.size(); ++i) {
    const float clean = plain.clean_range_m()[i], error = plain.range_m()[i] - clean;
    const float times = plain.ring()[i] == 4 ? 2.0F : plain.ring()[i] == 5 ? 0.0F : 1.0F;
    ASSERT_NEAR(rows.range_m()[i] - clean, times * error, 4e-6) << plain.ring()[i];
  }
}

TEST(RingEntries, ActOnLossesToo) {
  Sensor sensor = make_sensor(make_lidar(16, 90), {Dropout{}});
  sensor.noise[0].by_ring = {{7, Dropout{.probability = 1}}};
  const Frame f = render_once(test::make_room_scene(), sensor);
  for (std::size_t i = 0; i < f.size(); ++i) ASSERT_EQ(f.reason()[i] == Reason::kDropout, f.ring()[i] == 7);
}

TEST(RingEntries, WrongOnesAreRefused) {
  const auto refusal = [](const ChainEntry& entry) {
    Simulator simulator(test::make_room_scene(), {.compute = {.threads = 1}});
    return input_error([&] { simulator.add_sensor(make_sensor(make_lidar(16, 90), {Dropout{}, entry})); });
  };
  const auto by_ring = [](std::vector<RingEntry> entries) {
    return ChainEntry(GainBias{.gain = 0.01F}, std::move(entries));
  };
  EXPECT_EQ(refusal(by_ring({{15, GainBias{}}})), "");
  EXPECT_EQ(refusal(by_ring({{16, GainBias{}}})),
            "sensor 'lidar': by_ring: no ray has the ring 16; there are 16, from 0 to 15");
  EXPECT_EQ(refusal(by_ring({{0, DistanceNoise{}}})),
            "sensor 'lidar': by_ring: entry 1 of the chain is gain_bias, not distance");
  EXPECT_EQ(refusal(ChainEntry(AngularRay{}, std::vector<RingEntry>{{0, AngularRay{}}})),
            "sensor 'lidar': by_ring: angular_ray cannot differ by ring");
  EXPECT_EQ(refusal(by_ring({{3, GainBias{}}, {3, GainBias{}}})),
            "sensor 'lidar': by_ring: entry 1 of the chain has two for ring 3");
  ChainEntry both = by_ring({{3, GainBias{}}});
  both.by_entity = {{EntityId{0}, GainBias{}}};
  EXPECT_EQ(refusal(both),
            "sensor 'lidar': entry 1 of the chain differs by entity and by ring; a model takes one of them");
}

TEST(BadParameters, AreRefusedByName) {
  EXPECT_THROW(Noise(StereoEnergy{.pow = 0.0F}), InputError);
  EXPECT_THROW(Noise(StereoEnergy{.pow = -1.0F}), InputError);
  EXPECT_THROW(Noise(StereoEnergy{.min_energy = 1.0F}), InputError);
  EXPECT_THROW(Noise(StereoEnergy{.min_energy = -0.1F}), InputError);
  EXPECT_THROW(Noise(StereoEnergy{.min_energy = std::nanf("")}), InputError);
  EXPECT_THROW(Noise(LossAngle{.max_incidence_rad = 0.0F}), InputError);
  EXPECT_THROW(Noise(LossAngle{.max_incidence_rad = 1.7F}), InputError);
  EXPECT_THROW(Noise(StereoEnergy{.normalization = static_cast<EnergyNormalization>(7)}), InputError);
}

// Off by default; each factor follows its formula, in the array of energies and in the losses.
TEST(StereoEnergy, IsScaledByReflectivityRangeAndAmbientLightOnRequest) {
  const StereoCamera camera = make_stereo(120, 90, 60, 0.1);
  const auto frame_of = [&](const StereoEnergy& law) {
    return render_once(make_room_scene(), make_sensor(camera, {law}, {{}, from_roll_pitch_yaw(0, 0.2, 0.3)}));
  };
  const StereoEnergy plain{.min_energy = 0.3F, .pow = 1e9F};
  StereoEnergy scaled = plain;
  scaled.reflectivity_exponent = 2, scaled.range_exponent = 1.5F, scaled.ambient_klx = 5, scaled.half_ambient_klx = 20;
  const Frame off = frame_of(plain), on = frame_of(scaled);
  std::size_t dimmer = 0;
  for (std::size_t i = 0; i < on.size(); ++i) {
    const double rho = off.entity_id()[i] == 1 ? 0.5 : 1.0;  // the table
    const double gain = rho * rho * std::pow(double{off.clean_range_m()[i]}, -1.5) / 1.25;
    ASSERT_NEAR(on.energy()[i], off.energy()[i] * gain, 2e-6 * std::abs(off.energy()[i] * gain) + 1e-7);
    ASSERT_EQ(on.reason()[i] == Reason::kLowEnergy, on.energy()[i] <= 0.3F);
    dimmer += on.reason()[i] == Reason::kLowEnergy && off.reason()[i] == Reason::kHit ? 1 : 0;
  }
  EXPECT_GT(dimmer, 100U);
  EXPECT_GT(std::count(on.entity_id().begin(), on.entity_id().end(), 1U), 100);
}

// Two laws of one chain read one energy; a single law may have a range of it.
TEST(StereoEnergy, HasOneScaleInAChain) {
  const StereoCamera camera = make_stereo(32, 24, 20, 0.1);
  StereoEnergy dim;
  dim.ambient_klx = 3;
  EXPECT_THROW(render_once(make_room_scene(), make_sensor(camera, {StereoEnergy{}, dim})), InputError);
  const ParameterRange range = {.entry = 0, .field = "ambient_klx", .low = 0, .high = 50};
  const auto make = [&](NoiseChain chain) {
    Environments(make_room_scene(), make_sensor(camera, std::move(chain)), {.count = 2, .ranges = {range}});
  };
  EXPECT_NO_THROW(make({StereoEnergy{}}));
  EXPECT_THROW(make({StereoEnergy{}, StereoEnergy{}}), InputError);
}

TEST(TextureLoss, FollowsTheTextureOfTheEntityThatThePixelShows) {
  ChainEntry texture = TextureLoss{.projector = 0};
  texture.by_entity = {{EntityId{1}, TextureLoss{.texture = 0.5F, .projector = 0}}};
  const Frame f = render_once(make_room_scene(), make_sensor(make_stereo(120, 90, 60, 0.1), {texture}));
  std::size_t kept = 0;
  for (std::size_t i = 0; i < f.size(); ++i) {
    if (f.entity_id()[i] != 1) continue;
    ASSERT_EQ(f.reason()[i], Reason::kHit);
    ++kept;
  }
  EXPECT_GT(kept, 100U);
  EXPECT_GT(test::count_of(f, Reason::kLowTexture), f.size() / 2);
}

}  // namespace
}  // namespace fathom::test
