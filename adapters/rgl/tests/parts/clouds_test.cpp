// SPDX-License-Identifier: MIT
// Operations on clouds against naive loops, and whether the parts of a cloud are the cloud.

#include "parts/clouds.hpp"

#include "rgl/tests/parts/random.hpp"
#include "support/casters.hpp"

namespace fathom::test {
namespace {

const Affine kFarAway = affine_of({{400, -300, 5}, from_roll_pitch_yaw(0.2, -0.4, 1.1)});
/// Scale, shear and mirroring.
const Affine kSkew = {{{1.5, 0.25, 0, 3}, {0, -2, 0.5, 1}, {0.125, 0, 0.75, -2}}};

bool same_bits(std::span<const float> a, std::span<const float> b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size_bytes()) == 0;
}

/// Places to cut a cloud of that size: multiples of 4, the first 0 and the last the size.
std::vector<std::size_t> random_cuts(Random& random, std::size_t points) {
  std::vector<std::size_t> cuts = {0};
  while (cuts.back() < points) cuts.push_back(std::min(points, cuts.back() + 4 * (1 + random.below(100))));
  return cuts;
}

TEST(Clouds, TransformIsTheMapOfEachPoint) {
  Random random(1);
  const std::vector<float> in = random.floats(3 * 777, -50, 50);
  for (const Affine& a : {Affine{}, kFarAway, kSkew}) {
    std::vector<float> out(in.size()), parts(in.size()), self = in;
    transform_points(a, in, out.data());
    transform_points(a, self, self.data());
    const std::vector<std::size_t> cuts = random_cuts(random, in.size() / 3);
    for (std::size_t k = 1; k < cuts.size(); ++k) {
      const std::size_t begin = 3 * cuts[k - 1], size = 3 * cuts[k] - begin;
      transform_points(a, std::span(in).subspan(begin, size), parts.data() + begin);
    }
    for (std::size_t i = 0; i < in.size() / 3; ++i) {
      const Vec3 p = transform_point(a, {in[3 * i], in[3 * i + 1], in[3 * i + 2]});
      ASSERT_NEAR(out[3 * i], p.x, 0x1p-24 * std::abs(p.x));
      ASSERT_NEAR(out[3 * i + 1], p.y, 0x1p-24 * std::abs(p.y));
      ASSERT_NEAR(out[3 * i + 2], p.z, 0x1p-24 * std::abs(p.z));
    }
    EXPECT_TRUE(same_bits(parts, out));
    EXPECT_TRUE(same_bits(self, out));
  }
}

struct Noisy {
  std::vector<float> xyz, distance_m;
};

struct Cloud {
  std::vector<float> xyz, distance_m;
  std::vector<std::int32_t> is_hit;
};

Cloud make_cloud(std::uint32_t points) {
  Random random(2);
  Cloud cloud = {random.floats(std::size_t{3} * points, -40, 40), random.floats(points, 1, 60), {}};
  for (std::uint32_t i = 0; i < points; ++i) cloud.is_hit.push_back(random.below(4) == 0 ? 0 : 1);
  return cloud;
}

Noisy with_noise(const Noise& noise, const Cloud& cloud, std::span<const std::size_t> cuts, Isa isa, bool from_origin) {
  Noisy out = {std::vector<float>(cloud.xyz.size()), std::vector<float>(cloud.distance_m.size())};
  for (std::size_t k = 1; k < cuts.size(); ++k) {
    const std::size_t begin = cuts[k - 1], size = cuts[k] - begin;
    const PointNoise model = {&noise, {11, 3, 7}, from_origin};
    apply_noise({&model, 1}, kFarAway,
                {.first = static_cast<std::uint32_t>(begin),
                 .xyz = std::span(cloud.xyz).subspan(3 * begin, 3 * size),
                 .distance_m = std::span(cloud.distance_m).subspan(begin, size),
                 .is_hit = std::span(cloud.is_hit).subspan(begin, size),
                 .out_xyz = out.xyz.data() + 3 * begin,
                 .out_distance_m = out.distance_m.data() + begin},
                isa);
  }
  return out;
}

TEST(Clouds, NoiseDoesNotDependOnThePartsNorOnTheInstructionSet) {
  const Cloud cloud = make_cloud(1500);
  Random random(3);
  const Noise distance = DistanceNoise{.mean_m = 0.1F, .stddev_m = 0.5F};
  const Noise angle = AngularHit{.axis = Axis::kY, .mean_rad = 0.1F, .stddev_rad = 0.2F};
  for (const Noise& noise : {distance, angle}) {
    for (const bool from_origin : {false, true}) {
      const std::vector<std::size_t> one = {0, 1500};
      const Noisy whole = with_noise(noise, cloud, one, Isa::kBase, from_origin);
      for (const Isa isa : usable_isas()) {
        const Noisy parts = with_noise(noise, cloud, random_cuts(random, 1500), isa, from_origin);
        EXPECT_TRUE(same_bits(parts.xyz, whole.xyz)) << to_string(isa);
        EXPECT_TRUE(same_bits(parts.distance_m, whole.distance_m)) << to_string(isa);
      }
      for (std::size_t i = 0; i < 1500; ++i) {
        const bool same = same_bits(std::span(whole.xyz).subspan(3 * i, 3), std::span(cloud.xyz).subspan(3 * i, 3));
        ASSERT_EQ(same, cloud.is_hit[i] == 0) << i;  // what is no hit keeps its bits, and nothing else does
        if (cloud.is_hit[i] == 0) {
          ASSERT_EQ(whole.distance_m[i], cloud.distance_m[i]) << i;
        }
      }
    }
  }
}

TEST(Clouds, NoiseMovesPointsInTheFrameOfTheSensor) {
  const Cloud cloud = make_cloud(640);
  const Vec3 origin = translation_of(inverse(kFarAway).value());
  for (const bool from_origin : {false, true}) {
    const std::vector<std::size_t> one = {0, 640};
    const Noisy out = with_noise(DistanceNoise{.mean_m = 0.25F}, cloud, one, detect_isa(), from_origin);
    for (std::size_t i = 0; i < 640; ++i) {
      if (cloud.is_hit[i] == 0) continue;
      const Vec3 p = {cloud.xyz[3 * i], cloud.xyz[3 * i + 1], cloud.xyz[3 * i + 2]};
      const double radius = norm(p - origin);
      const Vec3 moved = p + (0.25 / radius) * (p - origin);
      // The point as the sensor sees it is rounded, stretched (a quotient and a product) and turned back.
      const double rounding = 4 * 0x1p-24 * radius;
      ASSERT_NEAR(out.xyz[3 * i], moved.x, rounding) << i;
      ASSERT_NEAR(out.xyz[3 * i + 1], moved.y, rounding) << i;
      ASSERT_NEAR(out.xyz[3 * i + 2], moved.z, rounding) << i;
      const double distance = (from_origin ? radius : double{cloud.distance_m[i]}) + 0.25;
      ASSERT_NEAR(out.distance_m[i], distance, 3e-7 * distance) << i;
    }
  }
}

RC_GTEST_PROP(Clouds, FindNonzeroIsTheNaiveLoop, (std::uint32_t first)) {
  // Long runs of ones, as clouds have them, besides numbers of any kind.
  const auto values = *rc::gen::container<std::vector<std::int32_t>>(rc::gen::weightedOneOf<std::int32_t>(
      {{30, rc::gen::just(1)}, {1, rc::gen::just(0)}, {1, rc::gen::arbitrary<std::int32_t>()}}));
  std::vector<std::uint32_t> expected;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i] != 0) expected.push_back(first + static_cast<std::uint32_t>(i));
  }
  std::vector<std::uint32_t> found(values.size());
  found.resize(find_nonzero(values, first, found.data()));
  RC_ASSERT(found == expected);
}

TEST(Clouds, FindNonzeroOfRunsOfAnyLength) {
  for (std::size_t size = 0; size < 70; ++size) {
    for (std::size_t zero = 0; zero <= size; ++zero) {
      std::vector<std::int32_t> values(size, -1);
      if (zero < size) values[zero] = 0;
      std::vector<std::uint32_t> found(size);
      found.resize(find_nonzero(values, 5, found.data()));
      ASSERT_EQ(found.size(), size - (zero < size ? 1 : 0));
      for (std::size_t k = 0; k < found.size(); ++k) ASSERT_EQ(found[k], 5 + k + (k >= zero ? 1 : 0));
    }
  }
}

std::vector<std::byte> random_bytes(std::size_t count) {
  return *rc::gen::container<std::vector<std::byte>>(
      count, rc::gen::map(rc::gen::arbitrary<unsigned char>(), [](unsigned char c) { return std::byte{c}; }));
}

RC_GTEST_PROP(Clouds, GatherIsTheNaiveLoop, ()) {
  const auto size = *rc::gen::element<std::size_t>(1, 2, 3, 4, 8, 12, 16, 48);
  const auto count = *rc::gen::inRange<std::uint32_t>(1, 40);
  const std::vector<std::byte> in = random_bytes(size * count);
  const auto indices = *rc::gen::container<std::vector<std::uint32_t>>(rc::gen::inRange<std::uint32_t>(0, count));
  std::vector<std::byte> out(indices.size() * size + 1, std::byte{0x5a});
  copy_points(in.data(), size, indices, out.data());
  for (std::size_t i = 0; i < indices.size(); ++i) {
    for (std::size_t b = 0; b < size; ++b) RC_ASSERT(out[i * size + b] == in[indices[i] * size + b]);
  }
  RC_ASSERT(out.back() == std::byte{0x5a});
}

RC_GTEST_PROP(Clouds, PackingIsTheNaiveLoop, ()) {
  const auto points = *rc::gen::inRange<std::size_t>(1, 1200);  // more than one pass of 512
  const auto sizes = *rc::gen::container<std::vector<std::size_t>>(rc::gen::element<std::size_t>(1, 2, 4, 8, 12, 40));
  const std::vector<std::uint32_t> order = [&] {
    std::vector<std::uint32_t> numbers(points);
    std::iota(numbers.begin(), numbers.end(), 0U);
    std::reverse(numbers.begin(), numbers.end());
    return numbers;
  }();
  std::size_t step = 0;
  std::vector<PackedProperty> properties;
  std::vector<std::vector<std::byte>> data;
  for (const std::size_t size : sizes) {
    step += *rc::gen::element<std::size_t>(0, 1, 4);  // unrequested points keep their bytes
    std::vector<std::byte> bytes(points * size);
    for (std::size_t k = 0; k < bytes.size(); ++k) {
      bytes[k] = static_cast<std::byte>((k * 131 + data.size() * 17 + 7) * 2654435761U >> 11U);
    }
    data.push_back(std::move(bytes));
    properties.push_back({data.back().data(), *rc::gen::arbitrary<bool>() ? order.data() : nullptr, size, step});
    step += size;
  }
  step += 3;
  const auto begin = *rc::gen::inRange<std::size_t>(0, points), end = *rc::gen::inRange<std::size_t>(begin, points + 1);
  const auto middle = *rc::gen::inRange<std::size_t>(begin, end + 1);
  constexpr std::byte kUntouched{0x5a};
  std::vector<std::byte> expected(points * step, kUntouched), whole = expected, parts = expected;
  for (std::size_t i = begin; i < end; ++i) {
    for (const PackedProperty& p : properties) {
      const std::size_t from = p.indices == nullptr ? i : p.indices[i];
      for (std::size_t b = 0; b < p.size; ++b) expected[i * step + p.offset + b] = p.data[from * p.size + b];
    }
  }
  pack_points(properties, begin, end, step, whole.data());
  pack_points(properties, begin, middle, step, parts.data());
  pack_points(properties, middle, end, step, parts.data());
  RC_ASSERT(whole == expected);
  RC_ASSERT(parts == expected);
}

TEST(Clouds, SlopesAreTheNormalsAwayFromUp) {
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  const double threshold = 30 * kRadPerDeg;
  std::vector<float> normals;
  std::vector<std::int32_t> expected;
  for (int degrees = 0; degrees <= 180; ++degrees) {
    if (degrees == 30 || degrees == 150) continue;
    for (const double turn : {0.0, 1.0, 4.0}) {
      const double tilt = degrees * kRadPerDeg;
      for (const double v : {std::sin(tilt) * std::cos(turn), std::sin(tilt) * std::sin(turn), std::cos(tilt)}) {
        normals.push_back(static_cast<float>(v));
      }
      expected.push_back(degrees > 30 && degrees < 150 ? 1 : 0);
    }
  }
  for (const float v : {kNan, 0.0F, 1.0F, 0.0F, 0.0F, 1.0000001F}) normals.push_back(v);
  expected.push_back(0), expected.push_back(0);
  std::vector<std::int32_t> found(expected.size(), 7);
  find_slopes(normals, {0, 0, 1}, threshold, found.data());
  EXPECT_EQ(found, expected);
}

struct MeanOfCell {
  Vec3 sum;
  std::vector<std::uint32_t> points;
};

TEST(Clouds, DownsampleIsTheMeanOfEachCell) {
  Random random(4);
  std::vector<float> xyz = random.floats(3 * 3000, -4, 4);
  for (const std::size_t bad : {30U, 300U, 4501U}) xyz[bad] = bad == 300U ? INFINITY : NAN;
  const Vec3 leaf = {0.5, 1.0, 0.75};
  const auto point = [&](std::size_t i) { return Vec3{xyz[3 * i], xyz[3 * i + 1], xyz[3 * i + 2]}; };
  std::map<std::tuple<double, double, double>, MeanOfCell> cells;
  std::vector<const MeanOfCell*> order;
  for (std::uint32_t i = 0; i < 3000; ++i) {
    const Vec3 p = point(i);
    if (!std::isfinite(p.x + p.y + p.z)) continue;
    MeanOfCell& cell = cells[{std::floor(p.x / leaf.x), std::floor(p.y / leaf.y), std::floor(p.z / leaf.z)}];
    if (cell.points.empty()) order.push_back(&cell);
    cell.sum = cell.sum + p;
    cell.points.push_back(i);
  }
  const VoxelGrid grid = downsample(xyz, leaf);
  ASSERT_EQ(grid.nearest.size(), order.size());
  ASSERT_EQ(grid.xyz.size(), 3 * order.size());
  for (std::size_t c = 0; c < order.size(); ++c) {
    const Vec3 mean = (1.0 / static_cast<double>(order[c]->points.size())) * order[c]->sum;
    ASSERT_NEAR(grid.xyz[3 * c], mean.x, 1e-6);
    ASSERT_NEAR(grid.xyz[3 * c + 1], mean.y, 1e-6);
    ASSERT_NEAR(grid.xyz[3 * c + 2], mean.z, 1e-6);
    double nearest = math::kInfinity;
    for (const std::uint32_t i : order[c]->points) nearest = std::min(nearest, norm(point(i) - mean));
    ASSERT_EQ(std::count(order[c]->points.begin(), order[c]->points.end(), grid.nearest[c]), 1);
    ASSERT_NEAR(norm(point(grid.nearest[c]) - mean), nearest, 1e-12);
  }
}

TEST(Clouds, DownsampleRefusesWhatIsNoGrid) {
  const std::vector<float> xyz = {1, 2, 3, 3e9F, 0, 0};
  for (const double bad : {0.0, -1.0, double{INFINITY}, double{NAN}}) {
    EXPECT_TRUE(contains(input_error([&] { (void)downsample(xyz, {1, 1, bad}); }), "leaf = "));
  }
  EXPECT_TRUE(contains(input_error([&] { (void)downsample(xyz, {1, 1, 1}); }), "more than 2^31 leaves"));
  EXPECT_EQ(downsample(xyz, {2, 1, 1}).nearest.size(), 2U);
  EXPECT_EQ(downsample({}, {1, 1, 1}).nearest.size(), 0U);
}

}  // namespace
}  // namespace fathom::test
