// SPDX-License-Identifier: MIT
#include "calibrate/wall_region.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include <fathom/base/geometry.hpp>
#include <fathom/math/random.hpp>

#include "base/median.hpp"
#include "calibrate/wall_pixels.hpp"

namespace fathom {

namespace {

constexpr std::size_t kMostVotes = 4000;          // readings that judge a random triple
constexpr std::uint32_t kVoteTriples = 600;       // of neighbours: one in eight and more is of one plane
constexpr double kTripleRad = 15.0 * kRadPerDeg;  // from the first of a triple to the others, at most
constexpr double kAheadRad = 20.0 * kRadPerDeg, kMostAheadRad = 60.0 * kRadPerDeg;
constexpr double kMostTiltRad = 45.0 * kRadPerDeg;
constexpr double kVoteDeviations = 4.0, kVoteShare = 2e-3;  // of the range: what a lidar is off besides
constexpr double kMedianOfNormal = 1.4826;                  // a normal's deviation by the median of its sizes
constexpr std::uint32_t kVoteStream = 0x766f7465U;
constexpr int kRegionRounds = 2;
constexpr std::ptrdiff_t kMostBridge = 4, kMostGap = 8;  // rays without a reading that a wall reaches across

/// Rows and columns of rays, whose columns may go round.
class WallGrid {
 public:
  explicit WallGrid(const WallRays& rays)
      : rows_(static_cast<std::ptrdiff_t>(rays.rows)),
        cols_(static_cast<std::ptrdiff_t>(rays.cols)),
        used_(static_cast<std::ptrdiff_t>(rays.used_cols)),
        is_full_turn_(rays.is_full_turn) {}

  [[nodiscard]] std::ptrdiff_t rows() const { return rows_; }
  [[nodiscard]] std::ptrdiff_t cols() const { return cols_; }
  /// So many rows and columns from ray i; nothing beyond the border.
  [[nodiscard]] std::optional<std::size_t> beside(std::size_t i, std::ptrdiff_t down, std::ptrdiff_t right) const {
    const std::ptrdiff_t row = static_cast<std::ptrdiff_t>(i) / cols_ + down;
    std::ptrdiff_t col = static_cast<std::ptrdiff_t>(i) % cols_ + right;
    if (static_cast<std::ptrdiff_t>(i) % cols_ >= used_) return std::nullopt;
    if (is_full_turn_) col = (col % used_ + used_) % used_;
    if (row < 0 || row >= rows_ || col < 0 || col >= used_) return std::nullopt;
    return static_cast<std::size_t>(row * cols_ + col);
  }
  [[nodiscard]] bool is_one_row() const { return rows_ == 1; }

 private:
  std::ptrdiff_t rows_, cols_, used_;
  bool is_full_turn_;
};

constexpr std::array<std::array<std::ptrdiff_t, 2>, 4> kSides = {{{0, -1}, {0, 1}, {-1, 0}, {1, 0}}};

/// The usual angle between a ray and the one so many rows and columns on.
double usual_step_rad(const WallRays& rays, std::ptrdiff_t down, std::ptrdiff_t right) {
  const WallGrid grid(rays);
  const std::size_t every = rays.size() / 1000 + 1;
  std::vector<double> steps;
  for (std::size_t i = 0; i < rays.size(); i += every) {
    if (const auto k = grid.beside(i, down, right)) steps.push_back(norm(rays.q[i] - rays.q[*k]));
  }
  return steps.empty() ? kTripleRad : std::max(1e-6, median(steps));
}

std::ptrdiff_t steps_in(double angle_rad, double step_rad) {
  return static_cast<std::ptrdiff_t>(std::min(1e6, std::ceil(angle_rad / step_rad)));
}

/// Votes of readings for planes through random triples of neighbours.
class PlaneVotes {
 public:
  PlaneVotes(const WallRays& rays, std::span<const float> measured, WallChoice choice)
      : rays_(rays), measured_(measured), choice_(choice), grid_(rays) {
    std::vector<std::size_t> at;
    for (std::size_t i = 0; i < measured.size(); ++i) {
      if (std::isnan(measured[i])) continue;
      at.push_back(i);
      if (choice == WallChoice::kLargest || rays.q[i].x >= std::cos(kAheadRad)) first_.push_back(i);
    }
    const std::size_t count = std::min(first_.size(), kMostVotes);
    for (std::size_t k = 0; k < count; ++k) voters_.push_back(first_[k * first_.size() / count]);
    tolerance_.constant = kVoteDeviations / kWallGate * deviation(at);
    tolerance_.per_m = kVoteShare / kWallGate;
  }

  /// So large that readings within kWallGate of it vote.
  [[nodiscard]] const WallScale& tolerance() const { return tolerance_; }
  [[nodiscard]] bool can_begin() const { return !first_.empty(); }

  std::optional<Vec3> best(const WallKey& key) const {
    const std::ptrdiff_t across = std::max<std::ptrdiff_t>(1, steps_in(kTripleRad, usual_step_rad(rays_, 0, 1))),
                         down = std::max<std::ptrdiff_t>(1, steps_in(kTripleRad, usual_step_rad(rays_, 1, 0)));
    std::optional<Vec3> best;
    std::size_t most = 0;
    for (std::uint32_t k = 0; k < kVoteTriples; ++k) {
      const PhiloxBlock words = keyed_block({key.seed, key.frame, kVoteStream}, k, 0);
      const auto drawn = [&](std::size_t word, std::ptrdiff_t most_off) {
        const auto ways = static_cast<std::uint64_t>(2 * most_off + 1);
        return static_cast<std::ptrdiff_t>((std::uint64_t{words.word[word]} * ways) >> 32U) - most_off;
      };
      const std::size_t a = first_[(std::uint64_t{words.word[0]} * first_.size()) >> 32U];
      const auto b = grid_.beside(a, 0, drawn(1, across));
      // A line has enough of two.
      const auto c = rays_.is_planar ? b : grid_.beside(a, drawn(2, down), drawn(3, across));
      if (!b || !c || std::isnan(measured_[*b]) || std::isnan(measured_[*c])) continue;
      const auto m = plane_through(rays_, std::array{a, *b, *c}, measured_);
      if (!m || !is_wall(*m)) continue;
      const std::size_t votes = votes_for(*m);
      if (votes > most) most = votes, best = m;
    }
    return best;
  }

 private:
  /// Of a reading about the plane of its neighbours in a row: 1 / r is linear along a straight line.
  [[nodiscard]] double deviation(const std::vector<std::size_t>& at) const {
    std::vector<double> errors;
    for (const std::size_t i : at) {
      const auto left = grid_.beside(i, 0, -1), right = grid_.beside(i, 0, 1);
      if (!left || !right || std::isnan(measured_[*left]) || std::isnan(measured_[*right])) continue;
      const double along = norm(rays_.q[*left] + rays_.q[*right]);
      const double between_m = along / (1.0 / double{measured_[*left]} + 1.0 / double{measured_[*right]});
      // Two neighbours are half of the variance of one more.
      errors.push_back(std::abs(double{measured_[i]} - between_m) / std::sqrt(1.5));
    }
    return errors.empty() ? 0.0 : kMedianOfNormal * median(errors);
  }

  [[nodiscard]] bool is_wall(const Vec3& m) const {
    const Vec3 normal = (1.0 / norm(m)) * m;
    if (!(std::abs(normal.z) <= std::sin(kMostTiltRad))) return false;
    return choice_ == WallChoice::kLargest || normal.x >= std::cos(kMostAheadRad);
  }

  [[nodiscard]] std::size_t votes_for(const Vec3& m) const {
    std::size_t votes = 0;
    for (const std::size_t i : voters_) {
      const double clean_m = rays_.clean_m(i, m);
      if (!(clean_m > 0.0)) continue;
      const double off = std::abs(double{measured_[i]} - clean_m);
      votes += off <= kWallGate * tolerance_.at(rays_, i, clean_m) ? 1 : 0;
    }
    return votes;
  }

  const WallRays& rays_;
  std::span<const float> measured_;
  WallChoice choice_;
  WallGrid grid_;
  std::vector<std::size_t> voters_, first_;
  WallScale tolerance_;
};

/// 1 where one of the marks is within so many rows and columns.
std::vector<std::uint8_t> spread(const WallGrid& grid, std::vector<std::uint8_t> marks, std::ptrdiff_t down,
                                 std::ptrdiff_t across) {
  for (const bool is_across : {true, false}) {
    const std::vector<std::uint8_t> before = marks;
    const std::ptrdiff_t most = std::min(is_across ? across : down, is_across ? grid.cols() : grid.rows());
    for (std::size_t i = 0; i < marks.size(); ++i) {
      if (before[i] == 0) continue;
      for (std::ptrdiff_t k = -most; k <= most; ++k) {
        if (const auto at = grid.beside(i, is_across ? 0 : k, is_across ? k : 0)) marks[*at] = 1;
      }
    }
  }
  return marks;
}

/// The most readings of the wall that hang together, as 1.
std::vector<std::uint8_t> largest_piece(const WallGrid& grid, std::span<const WallPixel> pixels) {
  std::vector<std::uint32_t> piece(pixels.size(), 0);
  std::uint32_t pieces = 0, largest = 0;
  std::size_t most = 0;
  std::vector<std::size_t> todo;
  for (std::size_t seed = 0; seed < pixels.size(); ++seed) {
    if (pixels[seed] != WallPixel::kWall || piece[seed] != 0) continue;
    piece[seed] = ++pieces, todo.assign(1, seed);
    std::size_t size = 0;
    while (!todo.empty()) {
      const std::size_t i = todo.back();
      todo.pop_back(), ++size;
      for (const auto& [down, right] : kSides) {
        for (std::ptrdiff_t k = 1; k <= kMostBridge; ++k) {
          const auto at = grid.beside(i, k * down, k * right);
          if (!at || pixels[*at] == WallPixel::kOther || pixels[*at] == WallPixel::kLeftOut) break;
          if (pixels[*at] != WallPixel::kWall) continue;
          if (piece[*at] == 0) piece[*at] = pieces, todo.push_back(*at);
          break;
        }
      }
    }
    if (size > most) most = size, largest = pieces;
  }
  std::vector<std::uint8_t> in(pixels.size(), 0);
  for (std::size_t i = 0; i < in.size(); ++i) in[i] = piece[i] != 0 && piece[i] == largest ? 1 : 0;
  return in;
}

/// What is seen to one side of a ray, beyond rays without a reading.
enum class SideOf : std::uint8_t { kOpen, kWall, kOther };

SideOf side_of(const WallGrid& grid, std::span<const WallPixel> pixels, std::size_t i,
               const std::array<std::ptrdiff_t, 2>& way) {
  for (std::ptrdiff_t k = 1; k <= kMostGap; ++k) {
    const auto at = grid.beside(i, k * way[0], k * way[1]);
    if (!at) return SideOf::kOpen;
    const WallPixel pixel = pixels[*at];
    if (pixel == WallPixel::kLeftOut) return SideOf::kOpen;
    if (pixel == WallPixel::kLost) continue;
    return pixel == WallPixel::kOther ? SideOf::kOther : SideOf::kWall;
  }
  return SideOf::kOpen;
}

bool is_inside(const WallGrid& grid, std::span<const WallPixel> pixels, std::size_t i, BorderLosses border) {
  bool has_wall = false;
  for (const auto& way : kSides) {
    if (way[0] != 0 && grid.is_one_row()) continue;
    const SideOf side = side_of(grid, pixels, i, way);
    if (side == SideOf::kOther || (side == SideOf::kOpen && border == BorderLosses::kNotKnown)) return false;
    has_wall = has_wall || side == SideOf::kWall;
  }
  return has_wall;
}

}  // namespace

void keep_one_surface(const WallRays& rays, double gate_m, double distance_m, std::span<WallPixel> pixels) {
  const WallGrid grid(rays);
  // Square to the wall, at h below the sensor, readings within g of it take the angle g h / (d^2 + h^2), at most
  // g / 2 d.
  const double margin_rad = 0.5 * gate_m / distance_m;
  std::vector<std::uint8_t> other(pixels.size(), 0);
  for (std::size_t i = 0; i < other.size(); ++i) other[i] = pixels[i] == WallPixel::kOther ? 1 : 0;
  other = spread(grid, std::move(other), 1 + steps_in(margin_rad, usual_step_rad(rays, 1, 0)),
                 1 + steps_in(margin_rad, usual_step_rad(rays, 0, 1)));
  const auto is_reading_of_it = [&](std::size_t i) {
    return pixels[i] == WallPixel::kWall || pixels[i] == WallPixel::kTail;
  };
  for (std::size_t i = 0; i < pixels.size(); ++i) {
    if (is_reading_of_it(i) && other[i] != 0) pixels[i] = WallPixel::kOther;
  }
  const std::vector<std::uint8_t> in = largest_piece(grid, pixels);
  for (std::size_t i = 0; i < pixels.size(); ++i) {
    if (pixels[i] == WallPixel::kWall && in[i] == 0) pixels[i] = WallPixel::kOther;
  }
}

void name_inside(const WallRays& rays, BorderLosses border, std::span<WallPixel> pixels) {
  const WallGrid grid(rays);
  const std::vector<WallPixel> before(pixels.begin(), pixels.end());
  for (std::size_t i = 0; i < pixels.size(); ++i) {
    if (before[i] == WallPixel::kOther || before[i] == WallPixel::kLeftOut) continue;
    if (is_inside(grid, before, i, border)) continue;
    pixels[i] = before[i] == WallPixel::kLost ? WallPixel::kNotKnown : WallPixel::kOther;
  }
}

std::optional<std::vector<std::uint8_t>> find_region(const WallRays& rays, std::span<const float> measured_m,
                                                     WallChoice choice, const WallKey& key, std::string& why_not) {
  const PlaneVotes votes(rays, measured_m, choice);
  if (!votes.can_begin()) {
    why_not = choice == WallChoice::kAhead ? "has no reading within 20 degrees of straight ahead" : "has no reading";
    return std::nullopt;
  }
  const auto start = votes.best(key);
  if (!start) {
    why_not = "its readings lie on no upright plane before the sensor";
    return std::nullopt;
  }
  WallPlaneFit plane{.m = *start};
  std::vector<float> readings(measured_m.size());
  for (int round = 0; round < kRegionRounds; ++round) {
    std::vector<WallPixel> pixels(rays.size(), WallPixel::kLost);
    name_readings(rays, measured_m, {}, plane, votes.tolerance(), pixels);
    std::vector<std::uint8_t> region(rays.size(), 0);
    for (std::size_t i = 0; i < region.size(); ++i) {
      region[i] = pixels[i] == WallPixel::kWall ? 1 : 0;
      readings[i] = region[i] != 0 ? measured_m[i] : std::numeric_limits<float>::quiet_NaN();
    }
    if (round + 1 == kRegionRounds) return region;
    const auto fit = fit_plane(rays, readings, 0.0, std::nullopt, key, why_not);
    if (!fit) return std::nullopt;
    plane = *fit;
  }
  return std::nullopt;
}

}  // namespace fathom
