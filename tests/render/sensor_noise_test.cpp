// SPDX-License-Identifier: MIT
// Laws of given frames: they are the frames of a Simulator whose clean values they take.

#include <fathom/simulate/sensor_noise.hpp>

#include "render/any_sensors.hpp"
#include "render/simulators.hpp"
#include "sensor/noise/busy.hpp"

namespace fathom::test {
namespace {

/// The clean values of a frame, as a user has them.
struct CleanImage {
  std::vector<float> range_m, depth_m, normal, reflectivity;
  std::vector<float> x_m, y_m, z_m;
  std::vector<std::uint32_t> entity_id;
  std::uint32_t rows = 0, cols = 0;
  Pose world_from_sensor = {};
  GivenFrame::Motion motion = {};

  [[nodiscard]] GivenCloud cloud() const {
    return {.x_m = x_m,
            .y_m = y_m,
            .z_m = z_m,
            .rows = rows,
            .cols = cols,
            .range_m = range_m,
            .normal = normal,
            .normal_frame = NormalFrame::kWorld,
            .entity_id = entity_id,
            .reflectivity = reflectivity,
            .world_from_sensor = world_from_sensor,
            .motion = motion};
  }

  [[nodiscard]] GivenFrame given() const {
    return {.range_m = range_m,
            .normal = normal,
            .normal_frame = NormalFrame::kWorld,
            .entity_id = entity_id,
            .reflectivity = reflectivity,
            .world_from_sensor = world_from_sensor,
            .motion = motion};
  }
};

CleanImage clean_image(const Scene& scene, Sensor sensor, std::uint32_t index = 0) {
  sensor.noise.clear();
  const Timing timing = sensor.timing;
  Simulator simulator(scene, {.seed = 7, .compute = {.threads = 1}});
  const SensorId id = simulator.add_sensor(std::move(sensor));
  Frame frame(all_channels());
  simulator.render(id, index, frame);
  CleanImage image;
  image.world_from_sensor = simulator.world_from_sensor(id, frame.stamp_s());
  const Travel travel = SensorMotion().up_to(frame.content_index(), [&](std::uint32_t k) {
    return simulator.world_from_sensor(id, frame_time_without_draws(timing, clock_of(SimulatorOptions{}), k).stamp_s);
  });
  image.motion = {travel.way_m, travel.angle_rad};
  image.range_m.assign(frame.clean_range_m().begin(), frame.clean_range_m().end());
  image.depth_m.assign(frame.clean_depth_m().begin(), frame.clean_depth_m().end());
  image.entity_id.assign(frame.entity_id().begin(), frame.entity_id().end());
  const Frame::Points n = frame.normal_world(), hit = frame.clean_hit_sensor_m();
  image.rows = frame.rows(), image.cols = frame.cols();
  image.x_m.assign(hit.x.begin(), hit.x.end()), image.y_m.assign(hit.y.begin(), hit.y.end());
  image.z_m.assign(hit.z.begin(), hit.z.end());
  for (std::size_t i = 0; i < frame.size(); ++i) {
    image.normal.insert(image.normal.end(), {n.x[i], n.y[i], n.z[i]});
    const std::uint32_t entity = image.entity_id[i];
    image.reflectivity.push_back(entity < scene.entities().size() ? scene.entities()[entity].reflectivity : 1.0F);
  }
  return image;
}

SensorNoiseOptions options_of(const Scene& scene, Compute compute = {.threads = 1}) {
  return {.seed = 7, .compute = compute, .entities = {scene.entities().begin(), scene.entities().end()}};
}

/// Triangles and labels are of scenes alone.
ChannelSet given_channels() {
  ChannelSet channels;
  for (std::size_t i = 0; i < kChannelCount; ++i) {
    const auto c = static_cast<Channel>(i);
    if (c != Channel::kTriangleId && c != Channel::kLabel && c != Channel::kVelocity) channels.insert(c);
  }
  return channels;
}

/// The names of channels whose bits differ.
std::string differences(const Frame& a, const Frame& b) {
  std::string names;
  for (std::size_t i = 0; i < kChannelCount; ++i) {
    const auto c = static_cast<Channel>(i);
    if (!given_channels().contains(c)) continue;
    const auto bytes = [&](const Frame& f) {
      return std::span(static_cast<const std::byte*>(f.data(c)), f.size() * channel_info(c).bytes());
    };
    if (!same_bits(bytes(a), bytes(b))) names += std::string(to_string(c)) + " ";
  }
  return names;
}

Frame apply_once(const Sensor& sensor, const GivenFrame& given, const SensorNoiseOptions& options,
                 std::uint32_t index = 0) {
  SensorNoise noise(sensor, options);
  Frame frame(all_channels());
  noise.apply(index, given, frame);
  return frame;
}

bool needs_scene(const Noise& model) { return model.stage() == Stage::kRay || model.slug() == StereoShadow::kSlug; }
bool needs_scene(const ChainEntry& entry) {
  return needs_scene(entry.noise) || (entry.noise.info().needs.place && !entry.by_entity.empty());
}

RC_GTEST_PROP(SensorNoiseLaw, CleanValuesOfASimulatorGiveItsFrame, ()) {
  const Scene scene = make_room_scene();
  Sensor sensor = any_sensor();
  sensor.rolling = false, sensor.divergence = {}, sensor.returns = {ReturnChoice::kStrongest};
  if (TofCamera* const camera = std::get_if<TofCamera>(&sensor.model)) camera->footprint_px = 0;
  std::erase_if(sensor.noise, [](const ChainEntry& entry) { return needs_scene(entry); });
  const std::uint32_t index = *rc::gen::inRange(0, 5);
  const Isa isa = *rc::gen::element(Isa::kBase, detect_isa());
  const int threads = *rc::gen::inRange(1, 4);
  Frame frame;
  try {
    frame = render_once(scene, sensor, all_channels(), {.seed = 7, .compute = {.threads = 1}}, index);
  } catch (const InputError&) {
    RC_DISCARD("the chain does not suit the sensor");
  }
  const CleanImage image = clean_image(scene, sensor, index);
  RC_PRE(std::ranges::all_of(image.range_m, [](float r) { return r > 0.0F; }));  // 0 means that nothing was met
  const Frame given = apply_once(sensor, image.given(), options_of(scene, {.threads = threads, .isa = isa}), index);
  RC_ASSERT(differences(frame, given) == "");
}

std::vector<SensorModel> sensors_of_all_kinds() {
  DepthCamera depth;
  depth.width = 48, depth.height = 36, depth.fx = 40;
  TofCamera tof;
  tof.width = 48, tof.height = 36, tof.fx = 40, tof.footprint_px = 0;
  const PinholeCamera pinhole = PinholeCamera::from_fov(40, 30, 1.2);
  const Laser2d laser = {.rays = 180, .min_azimuth_rad = -1.5, .max_azimuth_rad = 1.5};
  const RayPattern table = make_pattern(small_lidar());
  GridScanner grid;
  grid.size_x_m = grid.size_y_m = 1.6;
  return {make_lidar(8, 90), laser, pinhole, small_rosette(), table, depth, tof, make_stereo(48, 36, 40, 0.2), grid};
}

Frame apply_cloud(const Sensor& sensor, const GivenCloud& given, const SensorNoiseOptions& options) {
  SensorNoise noise(sensor, options);
  Frame frame(all_channels());
  noise.apply_cloud(0, given, frame);
  return frame;
}

/// Of images and of clouds.
TEST(SensorNoiseLaw, HoldsForEveryModelAndEveryKindOfSensor) {
  const Scene scene = make_room_scene();
  std::size_t compared = 0;
  for (const SensorModel& model : sensors_of_all_kinds()) {
    for (const Noise& noise : busy_models()) {
      if (needs_scene(noise)) continue;
      const Sensor sensor = make_sensor(model, {noise}, {{0.3, -0.2, 0.1}, from_roll_pitch_yaw(0.1, 0.2, 0.7)});
      Frame frame;
      try {
        frame = render_once(scene, sensor);
      } catch (const InputError&) {
        continue;  // the model does not suit this kind
      }
      const CleanImage image = clean_image(scene, sensor);
      const Frame given = apply_once(sensor, image.given(), options_of(scene)),
                  cloud = apply_cloud(sensor, image.cloud(), options_of(scene));
      EXPECT_EQ(differences(frame, given), "") << sensor_kind(model) << " " << noise.slug();
      EXPECT_EQ(differences(frame, cloud), "") << sensor_kind(model) << " " << noise.slug() << ", as a cloud";
      ++compared;
    }
  }
  EXPECT_GE(compared, 50U);
}

/// The points of a lidar that stands elsewhere and turned: they lie on no ray of another one.
CleanImage foreign_points(const Scene& scene) {
  CleanImage image = clean_image(scene, make_sensor(make_lidar(6, 50)));
  for (std::size_t i = 0; i < image.x_m.size(); ++i) {
    const Vec3 p = rotate(from_roll_pitch_yaw(0.02, 0.01, 0.3),
                          Vec3{double{image.x_m[i]}, double{image.y_m[i]}, double{image.z_m[i]}});
    image.x_m[i] = static_cast<float>(p.x), image.y_m[i] = static_cast<float>(p.y);
    image.z_m[i] = static_cast<float>(p.z);
    image.range_m[i] =
        static_cast<float>(std::sqrt(double{image.x_m[i]} * image.x_m[i] + double{image.y_m[i]} * image.y_m[i] +
                                     double{image.z_m[i]} * image.z_m[i]));
  }
  return image;
}

RayPattern rays_through(const CleanImage& image, const RayPattern& limits) {
  RayPattern rays;
  rays.rows = image.rows, rays.cols = image.cols;
  rays.min_range_m = {limits.min_range_m.front()}, rays.max_range_m = {limits.max_range_m.front()};
  for (std::size_t i = 0; i < image.x_m.size(); ++i) {
    const double x = image.x_m[i], y = image.y_m[i], z = image.z_m[i], distance = std::sqrt(x * x + y * y + z * z);
    rays.direction_x.push_back(static_cast<float>(x / distance));
    rays.direction_y.push_back(static_cast<float>(y / distance));
    rays.direction_z.push_back(static_cast<float>(z / distance));
  }
  return rays;
}

TEST(SensorNoiseLaw, ACloudBringsItsRays) {
  const Scene scene = make_room_scene();
  const CleanImage image = foreign_points(scene);
  GivenCloud cloud = image.cloud();
  cloud.range_m = {};
  const SensorModel lidar = make_lidar(8, 90);
  std::size_t compared = 0;
  for (const Noise& noise : busy_models()) {
    Sensor sensor = make_sensor(lidar, {noise});
    sensor.range_policy = RangePolicy::kKeep;
    Frame found;
    try {
      found = apply_cloud(sensor, cloud, options_of(scene));
    } catch (const InputError&) {
      continue;  // the model does not suit a lidar
    }
    Sensor table = sensor;
    table.model = rays_through(image, make_pattern(lidar));
    EXPECT_EQ(differences(apply_once(table, image.given(), options_of(scene)), found), "") << noise.slug();
    ++compared;
  }
  EXPECT_GE(compared, 8U);
}

TEST(SensorNoise, ACloudOfAStereoCameraKeepsItsDisparities) {
  const Sensor sensor = make_sensor(make_stereo(32, 24, 40.0, 0.05), {Disparity{.stddev_px = 0.01F}});
  CleanImage points;
  points.rows = 6, points.cols = 9;
  for (std::uint32_t i = 0; i < points.rows * points.cols; ++i) {
    points.x_m.push_back(2.0F);
    points.y_m.push_back(0.03F * (static_cast<float>(i % points.cols) - 4.3F));
    points.z_m.push_back(0.03F * (static_cast<float>(i / points.cols) - 2.7F));
  }
  GivenCloud cloud = points.cloud();
  cloud.reflectivity = {};
  const Frame frame = apply_cloud(sensor, cloud, {.seed = 3});
  for (std::size_t i = 0; i < points.x_m.size(); ++i) {
    ASSERT_EQ(frame.reason()[i], Reason::kHit) << i;
    EXPECT_NEAR(frame.depth_m()[i], 2.0F, 0.15F) << i;
  }
}

TEST(SensorNoise, RingsSortACloudInAnyOrder) {
  const Scene scene = make_room_scene();
  const CleanImage image = foreign_points(scene);
  const Sensor sensor =
      make_sensor(make_lidar(8, 90), {DistanceNoise{.stddev_m = 0.02F}, EdgeLoss{.high_probability = 0.5F}});
  CleanImage points[2];
  std::vector<std::uint16_t> rings[2];
  std::vector<std::uint32_t> order(image.x_m.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) order[i] = (i * 77U) % static_cast<std::uint32_t>(order.size());
  for (int k = 0; k < 2; ++k) {
    for (std::uint32_t i = 0; i < order.size(); ++i) {
      const std::uint32_t at = k == 0 ? i : order[i];
      if (at % 7 == 3) continue;  // rings have gaps
      points[k].x_m.push_back(image.x_m[at]), points[k].y_m.push_back(image.y_m[at]);
      points[k].z_m.push_back(image.z_m[at]);
      rings[k].push_back(static_cast<std::uint16_t>(40 + at / image.cols));
    }
  }
  SensorNoise noise(sensor, {.seed = 7});
  Frame frames[2] = {Frame({Channel::kRange, Channel::kReason, Channel::kRing}),
                     Frame({Channel::kRange, Channel::kReason, Channel::kRing})};
  for (int k = 0; k < 2; ++k) {
    GivenCloud cloud = points[k].cloud();
    cloud.ring = rings[k];
    noise.apply_cloud(0, cloud, frames[k]);
    const std::span<const std::uint32_t> places = noise.cloud_places();
    EXPECT_EQ(std::set<std::uint32_t>(places.begin(), places.end()).size(), rings[k].size());
    for (std::size_t i = 0; i < places.size(); ++i) ASSERT_EQ(frames[k].ring()[places[i]], rings[k][i]) << i;
  }
  EXPECT_EQ(frames[0].rows(), 6U);
  EXPECT_LE(frames[0].cols(), 60U);
  EXPECT_TRUE(same_bits(frames[0].range_m(), frames[1].range_m()));
}

TEST(SensorNoise, RefusesWhatACloudCannotGive) {
  const std::vector<float> x = {2, 3, 4, NAN}, zero = {0, 0, 0, 0};
  const auto text = [&](const Sensor& sensor, const GivenCloud& cloud) {
    return input_error([&] { static_cast<void>(apply_cloud(sensor, cloud, {})); });
  };
  const GivenCloud cloud = {.x_m = x, .y_m = zero, .z_m = zero};
  const Sensor lidar = make_sensor(make_lidar(2, 8));
  const auto with = [&](const ChainEntry& entry) { return make_sensor(make_lidar(2, 8), {entry}); };
  EXPECT_TRUE(contains(text(with(EdgeLoss{.high_probability = 0.5F}), cloud), "edge_loss needs neighbours"));
  EXPECT_TRUE(contains(text(with(AngularRay{.stddev_rad = 0.01F}), cloud), "angular_ray needs neighbours"));
  const ChainEntry blobs = {DistanceNoise{.stddev_m = 0.1F}, Correlation{.across_px = 2.0F}};
  EXPECT_TRUE(contains(text(make_sensor(make_lidar(2, 64), {blobs}), cloud), "the correlation of distance needs"));
  EXPECT_TRUE(contains(text(make_sensor(make_stereo(4, 1, 3, 0.1), {StereoShadow{}}), cloud), "needs an image"));
  EXPECT_EQ(text(lidar, {.x_m = x, .y_m = zero, .z_m = zero, .rows = 3, .cols = 2}), "4 points are not 3 x 2");
  EXPECT_EQ(text(lidar, {.x_m = zero, .y_m = zero, .z_m = zero}),
            "none of the 4 points met anything: each is NaN or 0");
  EXPECT_EQ(text(lidar, {}), "none of the 0 points met anything: each is NaN or 0");
  EXPECT_EQ(text(lidar, {.x_m = x, .y_m = zero, .z_m = {}}),
            "x_m, y_m and z_m have 4, 4 and 0 values: they need one for each point");
  const std::vector<std::uint16_t> few = {1, 2};
  EXPECT_EQ(text(lidar, {.x_m = x, .y_m = zero, .z_m = zero, .ring = few}),
            "ring has 2 values, and the cloud has 4 points");
}

TEST(SensorNoise, APointThatMetNothingReportsNothing) {
  const std::vector<float> x = {2, 0, NAN, 4}, zero = {0, 0, 0, 0};
  for (const Noise& noise : busy_models()) {
    if (noise.stage() != Stage::kReading) continue;
    const Sensor sensor = make_sensor(make_lidar(2, 8), {noise});
    const Frame frame = apply_cloud(sensor, {.x_m = x, .y_m = zero, .z_m = zero}, {});
    for (const std::size_t i : {1U, 2U}) {
      EXPECT_EQ(frame.reason()[i], Reason::kMiss) << noise.slug();
      EXPECT_TRUE(std::isnan(frame.range_m()[i]) && std::isnan(frame.hit_sensor_m().x[i])) << noise.slug();
    }
  }
}

TEST(SensorNoiseLaw, ABatchEqualsItsSingleFrames) {
  const Scene scene = make_room_scene();
  Sensor sensor = make_sensor(make_stereo(40, 30, 30, 0.1));
  sensor.noise = {StereoShadow{}, DistanceNoise{.stddev_m = 0.02F}, Dropout{.probability = 0.1F}};
  const CleanImage image = clean_image(scene, sensor);
  const std::vector<GivenFrame> images(70, image.given());
  SensorNoise noise(sensor, options_of(scene, {.threads = 2}));
  Frame batch(all_channels());
  noise.apply(3, images, batch);
  Frame single(all_channels());
  const std::size_t rays = image.range_m.size();
  for (std::uint32_t k = 0; k < images.size(); k += 23) {
    noise.apply(3 + k, images[k], single);
    EXPECT_TRUE(same_environment(batch, k, single, 0, rays)) << k;
  }
}

/// The clean values of each environment of a frame. The sensor of environment e is at pose_of_environment(e).
std::vector<CleanImage> clean_images(const Frame& frame, std::uint32_t environments) {
  std::vector<CleanImage> images(environments);
  const std::size_t rays = frame.size() / environments;
  const Frame::Points n = frame.normal_world();
  for (std::size_t i = 0; i < frame.size(); ++i) {
    CleanImage& image = images[i / rays];
    image.range_m.push_back(frame.clean_range_m()[i]);
    image.entity_id.push_back(frame.entity_id()[i]);
    image.normal.insert(image.normal.end(), {n.x[i], n.y[i], n.z[i]});
  }
  return images;
}

Pose pose_of_environment(std::uint32_t e) { return {{0.1 * e, -0.05 * e, 0.02 * e}, {}}; }

TEST(SensorNoiseLaw, CleanValuesOfEnvironmentsGiveTheirFrames) {
  constexpr std::uint32_t kEnvironments = 5;
  const Scene scene = make_room_scene();
  const Sensor sensor =
      make_sensor(make_stereo(37, 23, 25, 0.2), {StereoEnergy{.min_energy = 0.2F, .pow = 2},
                                                 DistanceNoise{.stddev_m = 0.01F},
                                                 {Dropout{.probability = 0.1F}, Correlation{.across_px = 2}}});
  const std::vector<ParameterRange> ranges = {
      {.entry = 0, .field = "min_energy", .low = 0.1, .high = 0.3},
      {.entry = 1, .field = "mean_m", .low = -0.05, .high = 0.05},
      {.field = "fx", .low = 24, .high = 26, .target = ParameterRange::Target::kSensor},
      {.field = "baseline_m", .low = 0.1, .high = 0.3, .target = ParameterRange::Target::kSensor}};
  Environments batch(scene, sensor, {.simulator = {.seed = 7}, .count = kEnvironments, .ranges = ranges});
  SensorNoiseOptions options = options_of(scene);
  options.environments = kEnvironments, options.ranges = ranges;
  SensorNoise noise(sensor, options);
  for (std::uint32_t e = 0; e < kEnvironments; ++e) batch.set_sensor_pose(e, pose_of_environment(e));
  Frame expected(all_channels()), found(all_channels());
  const std::vector<std::uint32_t> some = {3, 1};
  for (const std::uint32_t index : {0U, 4U, 5U}) {
    batch.render(index, expected);
    std::vector<CleanImage> images = clean_images(expected, kEnvironments);
    std::vector<GivenFrame> given;
    for (std::uint32_t e = 0; e < kEnvironments; ++e) {
      images[e].reflectivity.assign(images[e].range_m.size(), 1.0F);
      for (std::size_t i = 0; i < images[e].range_m.size(); ++i) {
        const std::uint32_t entity = images[e].entity_id[i];
        if (entity < scene.entities().size()) images[e].reflectivity[i] = scene.entities()[entity].reflectivity;
      }
      images[e].world_from_sensor = pose_of_environment(e);
      given.push_back(images[e].given());
    }
    noise.apply(index, given, found);
    EXPECT_EQ(differences(expected, found), "") << index;
    for (std::uint32_t e = 0; e < kEnvironments; ++e) {
      for (std::size_t k = 0; k < ranges.size(); ++k) EXPECT_EQ(noise.drawn(e)[k].value, batch.drawn(e)[k].value);
    }
    noise.reset(some), batch.reset(some);
    EXPECT_TRUE(std::ranges::equal(noise.episodes(), batch.episodes()));
  }
}

TEST(SensorNoise, AnEnvironmentThatIsResetBeginsWithFrameZero) {
  SensorNoiseOptions options{.seed = 3, .compute = {.threads = 1}};
  options.environments = 3;
  const Sensor sensor = make_sensor(make_stereo(8, 6, 5, 0.1), {DistanceNoise{.stddev_m = 0.1F}});
  SensorNoise noise(sensor, options), by_number(sensor, options);
  const std::vector<float> depth(48, 2.0F);
  const std::vector<GivenFrame> given(3, GivenFrame{.depth_m = depth});
  Frame follows(all_channels()), numbered(all_channels());
  for (int k = 0; k < 2; ++k) noise.apply(given, follows);
  const std::vector<std::uint32_t> last = {2}, episode = {9};
  noise.reset(last, episode), by_number.reset(last, episode);
  noise.apply(given, follows);
  by_number.apply(2, given, numbered);
  EXPECT_TRUE(same_environment(follows, 1, numbered, 1, 48));
  EXPECT_FALSE(same_environment(follows, 2, numbered, 2, 48));
  by_number.apply(0, given, numbered);
  EXPECT_TRUE(same_environment(follows, 2, numbered, 2, 48));
  const auto text = [](auto work) { return input_error(work); };
  EXPECT_EQ(text([&] { noise.apply(0, given[0], follows); }), "1 images are given for 3 environments");
  EXPECT_EQ(text([&] { SensorNoise(sensor).reset(); }), "sensor 'lidar': there are no environments");
  options.environments = 0, options.ranges = {{.field = "mean_m", .low = 0, .high = 1}};
  EXPECT_EQ(text([&] { SensorNoise(sensor, options); }),
            "sensor 'lidar': ranges are drawn for environments: their number is missing");
}

/// Pixels whose ranges jump to a neighbour, or whose neighbour is another entity, and those within `reach` of them.
std::vector<bool> near_edges(const CleanImage& image, std::uint32_t rows, std::uint32_t cols, int reach) {
  std::vector<bool> near(image.range_m.size());
  const auto at = [&](int r, int c) { return static_cast<std::size_t>(r) * cols + static_cast<std::size_t>(c); };
  const auto differ = [&](std::size_t a, std::size_t b) {
    const double cosine = image.normal[3 * a] * image.normal[3 * b] +
                          image.normal[3 * a + 1] * image.normal[3 * b + 1] +
                          image.normal[3 * a + 2] * image.normal[3 * b + 2];
    return image.entity_id[a] != image.entity_id[b] || !(cosine > 0.9) ||
           std::abs(image.range_m[a] / image.range_m[b] - 1) > 0.1F;
  };
  const int h = static_cast<int>(rows), w = static_cast<int>(cols);
  for (int r = 0; r < h; ++r) {
    for (int c = 0; c < w; ++c) {
      const bool edge = (c + 1 < w && differ(at(r, c), at(r, c + 1))) || (r + 1 < h && differ(at(r, c), at(r + 1, c)));
      if (!edge) continue;
      for (int y = std::max(0, r - reach); y <= std::min(h - 1, r + reach + 1); ++y) {
        for (int x = std::max(0, c - reach); x <= std::min(w - 1, c + reach + 1); ++x) near[at(y, x)] = true;
      }
    }
  }
  return near;
}

/// A room with boxes and balls at random places before the camera.
Scene random_room(std::uint32_t seed) {
  Scene scene = make_room_scene();
  std::uint64_t state = seed;
  const auto any = [&](double low, double high) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    return low + (high - low) * static_cast<double>(state >> 40U) / static_cast<double>(1U << 24U);
  };
  for (int k = 0; k < 6; ++k) {
    scene.add_entity({.name = "thing" + std::to_string(k),
                      .mesh = static_cast<MeshId>(k % 2),
                      .parent_from_entity = Pose{{any(1.5, 5), any(-2, 2), any(-1.5, 1.5)},
                                                 from_roll_pitch_yaw(any(0, 3), any(0, 3), any(0, 3))},
                      .scale = {any(0.2, 1), any(0.2, 1), any(0.2, 1)}});
  }
  return scene;
}

TEST(SensorNoise, NormalsFromDepthAreThoseOfTheSurfaces) {
  std::size_t far_from_edges = 0, off = 0;
  for (std::uint32_t seed = 1; seed <= 10; ++seed) {
    const Scene scene = random_room(seed);
    const Sensor sensor = make_sensor(make_stereo(160, 120, 120, 0.05));
    const CleanImage image = clean_image(scene, sensor);
    const Frame found = apply_once(sensor, {.depth_m = image.depth_m, .entity_id = image.entity_id}, options_of(scene));
    const std::vector<bool> near = near_edges(image, 120, 160, 2);
    const Frame::Points n = found.normal_world();
    for (std::size_t i = 0; i < near.size(); ++i) {
      if (near[i]) continue;
      const float* truth = &image.normal[3 * i];
      const double cosine = n.x[i] * truth[0] + n.y[i] * truth[1] + n.z[i] * truth[2];
      const bool ball = image.entity_id[i] >= 2 && image.entity_id[i] % 2 == 0;  // curved: planes only
      if (ball) continue;
      ++far_from_edges;
      off += cosine < std::cos(1.0 * std::numbers::pi / 180) ? 1 : 0;
    }
  }
  EXPECT_GT(far_from_edges, 50'000U);
  EXPECT_LT(static_cast<double>(off), 0.01 * static_cast<double>(far_from_edges));
}

TEST(SensorNoise, ShadowsFromTheImageAreThoseOfRays) {
  std::size_t pixels = 0, hidden = 0, differ = 0, inside = 0;
  for (std::uint32_t seed = 1; seed <= 50; ++seed) {
    const Scene scene = random_room(seed);
    const Sensor sensor = make_sensor(make_stereo(160, 120, 120, 0.06, CameraReference::kLeft), {StereoShadow{}});
    const CleanImage image = clean_image(scene, sensor);
    const Frame rays = render_once(scene, sensor);
    const Frame found = apply_once(sensor, image.given(), options_of(scene));
    const std::vector<bool> near = near_edges(image, 120, 160, 1);
    for (std::size_t i = 0; i < rays.size(); ++i) {
      const bool same = rays.reason()[i] == found.reason()[i];
      ++pixels, hidden += rays.reason()[i] == Reason::kHiddenRight, differ += !same;
      inside += !same && !near[i];
    }
  }
  EXPECT_GT(hidden, pixels / 200);
  EXPECT_LT(static_cast<double>(differ), 0.005 * static_cast<double>(pixels)) << inside << " away from edges";
}

TEST(SensorNoise, ATurnedRayMeetsThePlaneOfItsPixel) {
  const Scene scene = make_plane_scene({.distance_m = 4, .angle_rad = 0.5});
  const Sensor sensor = make_sensor(make_stereo(80, 60, 60, 0.1), {AngularRay{.axis = Axis::kZ, .stddev_rad = 0.01F}});
  const Frame frame = render_once(scene, sensor);
  const Frame given = apply_once(sensor, clean_image(scene, sensor).given(), options_of(scene));
  for (std::size_t i = 0; i < frame.size(); ++i) {
    ASSERT_NEAR(frame.range_m()[i], given.range_m()[i], 2e-5F * frame.range_m()[i]) << i;
  }
  EXPECT_TRUE(same_bits(frame.clean_range_m(), given.clean_range_m()));
}

TEST(SensorNoise, DerivedSurfacesHaveTheSameBitsOnEveryInstructionSet) {
  const Scene scene = random_room(3);
  const NoiseChain chain = {AngularRay{.axis = Axis::kZ, .stddev_rad = 0.01F}, StereoShadow{.tolerance = 0.01F},
                            StereoEnergy{.min_energy = 0.3F}};
  const Sensor sensor = make_sensor(make_stereo(83, 61, 60, 0.06), chain);
  const CleanImage image = clean_image(scene, sensor);
  for (const bool has_entities : {false, true}) {
    GivenFrame given{.depth_m = image.depth_m};
    if (has_entities) given.entity_id = image.entity_id;
    const Frame plain = apply_once(sensor, given, options_of(scene, {.threads = 1, .isa = Isa::kBase}));
    for (const Isa isa : {Isa::kAvx2, Isa::kAvx512}) {
      if (isa > detect_isa()) continue;
      EXPECT_EQ(differences(plain, apply_once(sensor, given, options_of(scene, {.threads = 1, .isa = isa}))), "");
    }
  }
}

TEST(SensorNoise, RefusesImagesThatDoNotSuitTheSensor) {
  SensorNoise noise(make_sensor(make_stereo(4, 2, 3, 0.1)));
  Frame frame({Channel::kDepth});
  const std::vector<float> good(8, 2.0F), few(6, 2.0F), millimetres(8, 2000.0F), nan(8, NAN);
  const auto text = [&](const GivenFrame& given) { return input_error([&] { noise.apply(0, given, frame); }); };
  EXPECT_EQ(text({}), "a given frame has either range_m or depth_m");
  EXPECT_EQ(text({.range_m = good, .depth_m = good}), "a given frame has either range_m or depth_m");
  EXPECT_EQ(text({.depth_m = few}), "depth_m has 6 values, and the sensor has 2 x 4 rays");
  EXPECT_EQ(text({.depth_m = good, .normal = good}), "normal has 8 values, and the sensor has 2 x 4 rays with 3 each");
  EXPECT_EQ(text({.depth_m = millimetres}), "depth_m: half of its values exceed 200 m: are they millimetres?");
  EXPECT_EQ(text({.depth_m = nan}), "depth_m is NaN everywhere");
  EXPECT_EQ(text({.depth_m = good, .reflectivity = good}), "reflectivity = 2 is not in [0, 1]");
  const std::vector<float> normals(24, 1.0F);
  noise.set_noise({StereoEnergy{.min_energy = 0.1F}});
  EXPECT_EQ(text({.depth_m = good, .normal = normals}), "normal of row 0, column 0 has length 1.732, not 1");
  SensorNoise lidar(make_sensor(make_lidar(2, 4)));
  EXPECT_EQ(input_error([&] { lidar.apply(0, {.depth_m = good}, frame); }),
            "depth_m is of cameras alone: give range_m");
}

TEST(SensorNoise, NothingMetIsAMiss) {
  SensorNoise noise(make_sensor(make_stereo(3, 2, 3, 0.1)), {.far_m = 50});
  Frame frame({Channel::kDepth, Channel::kReason});
  const std::vector<float> depth = {2.0F, 0.0F, -1.0F, NAN, INFINITY, 50.0F};
  noise.apply(0, {.depth_m = depth}, frame);
  EXPECT_EQ(frame.reason()[0], Reason::kHit);
  EXPECT_NEAR(frame.depth_m()[0], 2.0F, 1e-6F);
  for (std::size_t i = 1; i < 6; ++i) EXPECT_EQ(frame.reason()[i], Reason::kMiss) << i;
}

}  // namespace
}  // namespace fathom::test
