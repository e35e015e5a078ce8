// SPDX-License-Identifier: MIT
// The models' formulas in double precision with the mathematical library, draw for draw: what the known answers, which
// are our own output, are checked against.

#include <fathom/core/geometry.hpp>

#include "sensor/noise/blocks.hpp"
#include "support/expect.hpp"

namespace fathom::test {
namespace {

constexpr double kTwoPi = 2 * std::numbers::pi;

/// N of lane i: Box and Muller over the words of its quad; even lanes take the cosine, odd ones the sine.
double normal_of_lane(const NoiseKey& key, std::size_t i) {
  const PhiloxBlock b = keyed_block(key, static_cast<std::uint32_t>(i / 4), 0);
  const std::uint32_t radius_word = b.word[i % 4 / 2 * 2], angle_word = b.word[i % 4 / 2 * 2 + 1];
  const double u = static_cast<double>(static_cast<float>(radius_word >> 1U) * 0x1p-31F + 0x1p-32F);
  const double angle = static_cast<double>(angle_word) / 4294967296.0 * kTwoPi;
  return std::sqrt(-2 * std::log(u)) * (i % 2 == 0 ? std::cos(angle) : std::sin(angle));
}

double uniform_of_lane(const NoiseKey& key, std::size_t i) {
  const PhiloxBlock b = keyed_block(key, static_cast<std::uint32_t>(i / 4), 0);
  return static_cast<double>(b.word[i % 4] >> 8U) / 16777216.0;
}

/// R(axis, a) v through the quaternion, another way than the kernel's.
Vec3 turned(Axis axis, double angle, Vec3 v) {
  const double s = std::sin(angle / 2);
  return rotate({std::cos(angle / 2), axis == Axis::kX ? s : 0, axis == Axis::kY ? s : 0, axis == Axis::kZ ? s : 0}, v);
}

void require_near(Vec3 got, Vec3 expected, double tolerance) { RC_ASSERT(norm(got - expected) <= tolerance); }

double any(double low, double high) { return low + (high - low) * *rc::gen::inRange(0, 1'000'001) * 1e-6; }
Axis any_axis() { return static_cast<Axis>(*rc::gen::inRange(0, 3)); }
NoiseKey any_key() {
  return {*rc::gen::arbitrary<std::uint64_t>(), *rc::gen::arbitrary<std::uint32_t>(),
          *rc::gen::arbitrary<std::uint32_t>()};
}

struct Applied {
  NoiseKey key;
  Lanes before, lanes;
};
template <class Model>
Applied applied(const Model& model) {
  Applied a = {any_key(), make_lanes(64), make_lanes(64)};
  apply(model, detect_isa(), a.key, a.lanes);
  return a;
}

// Turned by up to 12 rad, single precision carries the angle to 5e-7, and sine, cosine and products to 3e-7 together.
constexpr double kTurnError = 1e-6;

RC_GTEST_PROP(Oracle, AngularRay, ()) {
  const AngularRay model = {any_axis(), static_cast<float>(any(-3, 3)), static_cast<float>(any(0, 1.3))};
  const auto [key, before, lanes] = applied(model);
  for (std::size_t i = 0; i < lanes.size(); ++i) {
    const double angle = model.mean_rad + model.stddev_rad * normal_of_lane(key, i);
    const Ray &r = lanes.rays[i], &old = before.rays[i];
    const double slack = kTurnError + 2e-7 * std::abs(angle);
    require_near({r.dx, r.dy, r.dz}, turned(model.axis, angle, {old.dx, old.dy, old.dz}), slack);
    require_near({r.ox, r.oy, r.oz}, turned(model.axis, angle, {old.ox, old.oy, old.oz}), slack);
  }
}

RC_GTEST_PROP(Oracle, AngularHit, ()) {
  const AngularHit model = {any_axis(), static_cast<float>(any(-3, 3)), static_cast<float>(any(0, 1.3))};
  const auto [key, before, lanes] = applied(model);
  for (std::size_t i = 0; i < lanes.size(); ++i) {
    const double angle = model.mean_rad + model.stddev_rad * normal_of_lane(key, i);
    const Return &r = lanes.returns[i], &old = before.returns[i];
    const double slack = (kTurnError + 2e-7 * std::abs(angle)) * old.radius_m;
    require_near({r.x, r.y, r.z}, turned(model.axis, angle, {old.x, old.y, old.z}), slack);
  }
}

/// `terms` is the sum of the sizes of the terms of the error, which may cancel in it while their roundings do not;
/// `draw_error` what the draw itself may be off by, in metres.
void check_moved(const Return& r, const Return& old, double error, double terms, double draw_error) {
  const double size = std::max(double{old.range_m}, double{old.radius_m}) + terms;
  const double slack = draw_error + 2e-7 * size;  // at most three roundings of 2^-24 each
  RC_ASSERT(std::abs(r.range_m - (old.range_m + error)) <= slack);
  require_near({r.x, r.y, r.z}, (1 + error / old.radius_m) * Vec3{old.x, old.y, old.z}, slack + 2e-7 * size);
}

RC_GTEST_PROP(Oracle, Distance, ()) {
  const DistanceNoise model = {static_cast<float>(any(-1, 1)), static_cast<float>(any(0, 0.5)),
                               static_cast<float>(any(0, 0.1))};
  const auto [key, before, lanes] = applied(model);
  for (std::size_t i = 0; i < lanes.size(); ++i) {
    const Return& old = before.returns[i];
    const double sigma = model.stddev_m + double{old.range_m} * model.stddev_per_m;
    const double spread = sigma * normal_of_lane(key, i);
    check_moved(lanes.returns[i], old, model.mean_m + spread, std::abs(model.mean_m) + std::abs(spread), 1e-6 * sigma);
  }
}

RC_GTEST_PROP(Oracle, Uniform, ()) {
  const UniformNoise model = {static_cast<float>(any(-1, 1)), static_cast<float>(any(-1, 1))};
  const auto [key, before, lanes] = applied(model);
  for (std::size_t i = 0; i < lanes.size(); ++i) {
    const double width = double{model.high_m} - model.low_m;
    const double error = model.low_m + width * uniform_of_lane(key, i);
    check_moved(lanes.returns[i], before.returns[i], error, std::abs(model.low_m) + std::abs(width), 0.0);
  }
}

RC_GTEST_PROP(Oracle, Dropout, ()) {
  const Dropout model = {static_cast<float>(any(0, 1))};
  const auto [key, before, lanes] = applied(model);
  for (std::size_t i = 0; i < lanes.size(); ++i) {
    const bool lost = uniform_of_lane(key, i) < model.probability;
    RC_ASSERT((lanes.reasons[i] == static_cast<std::uint32_t>(Reason::kDropout)) == lost);
  }
}

}  // namespace
}  // namespace fathom::test
