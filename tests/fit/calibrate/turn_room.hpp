// SPDX-License-Identifier: MIT
#pragma once
// Clouds of a real spinning lidar in the room of wall_room.hpp. Every turn starts anywhere and is a little too fast or
// too slow. The encoder has errors, ranges are rounded, lost returns leave no trace, and points are in no order.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <optional>
#include <random>
#include <string>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include <fathom/fit/frames.hpp>
#include <fathom/sensor/presets.hpp>

#include "fit/calibrate/wall_room.hpp"
#include "fit/frames/chain_frames.hpp"
#include "fit/frames/cloud_frames.hpp"
#include "support/temporary_folder.hpp"

namespace fathom::test {

struct TurnOptions {
  std::uint64_t seed = 1;
  double most_rate_off = 0.003;  ///< share of the rate
  double encoder_deg = 0.01;     ///< deviation of the azimuths of a column
  double step_m = 0.002;         ///< of ranges; 0: not rounded
  double start_off_m = 0.0;      ///< height of the start of rays in the points, as drivers have it
  bool is_nominal = false;       ///< start and rate are the sensor's
  std::string preset = "VLP-16";
  std::uint32_t columns = 1808;                           ///< of a turn at the rate of the sensor
  std::optional<std::vector<double>> elevation_deg = {};  ///< other rings, that fire all at once
};

/// A ray as it was fired.
struct Fired {
  std::uint16_t ring = 0;
  double azimuth_rad = 0.0;  ///< as the encoder has it
  bool is_back = false;
  Vec3 at_m = {};
};

/// All rays of a turn, with points where something came back, in no order.
using FiredTurn = std::vector<Fired>;

inline FiredTurn turn_in_room(const Stand& place, std::uint32_t frame, const NoiseChain& chain,
                              const TurnOptions& options) {
  std::mt19937_64 random(1000 * options.seed + frame);
  std::uniform_real_distribution<double> even(-1.0, 1.0);
  std::normal_distribution<double> normal;
  SpinningLidar lidar = std::get<SpinningLidar>(find_preset(options.preset).model);
  if (options.elevation_deg) {
    lidar.elevation_rad.clear(), lidar.firing_time_s.clear();
    for (const double degrees : *options.elevation_deg) lidar.elevation_rad.push_back(degrees * kRadPerDeg);
  }
  if (!options.is_nominal) {
    const double sequence_s = 55.296e-6 * 1808.0 / options.columns;
    lidar.rate_hz *= 1.0 + options.most_rate_off * even(random);
    lidar.columns = static_cast<std::uint32_t>(std::floor(1.0 / (lidar.rate_hz * sequence_s)));
    lidar.span_rad = 2.0 * std::numbers::pi * lidar.rate_hz * sequence_s * lidar.columns;
    lidar.start_azimuth_rad = std::numbers::pi * even(random);
  }
  // Frame 0 of another seed would draw the same noise.
  const WallFrames seen = room_frames({place}, chain, 100'000 * options.seed + frame, lidar);
  const WallSensor::Lidar& rays = *seen.sensor.lidar;
  std::vector<double> encoder;
  for (std::uint32_t c = 0; c < lidar.columns; ++c) encoder.push_back(options.encoder_deg * normal(random));
  FiredTurn turn;
  for (std::size_t i = 0; i < seen.sensor.rays(); ++i) {
    const double azimuth =
        std::remainder(std::atan2(rays.direction[i].y, rays.direction[i].x) + encoder[i % lidar.columns] * kRadPerDeg,
                       2.0 * std::numbers::pi);
    const double across = std::hypot(rays.direction[i].x, rays.direction[i].y);
    double range_m = double{seen.measured_m[i]};
    if (options.step_m > 0.0) range_m = options.step_m * std::round(range_m / options.step_m);
    const Vec3 d = {across * std::cos(azimuth), across * std::sin(azimuth), rays.direction[i].z};
    const Vec3 at = range_m * d + Vec3{0.0, 0.0, options.start_off_m};
    turn.push_back({rays.ring[i], azimuth, range_m > 0.0, at});
  }
  std::shuffle(turn.begin(), turn.end(), random);
  return turn;
}

/// Rays of many turns, a few of each: as many as of one, and no grid.
inline FiredTurn scattered_in_room(const Stand& place, std::uint32_t frame, const NoiseChain& chain,
                                   std::uint32_t columns = 1808) {
  constexpr std::uint64_t kTurns = 8;
  std::mt19937_64 random(frame);
  FiredTurn some;
  for (std::uint64_t seed = 1; seed <= kTurns; ++seed) {
    const FiredTurn turn = turn_in_room(place, frame, chain, {.seed = seed, .columns = columns});
    for (std::size_t k = random() % kTurns; k < turn.size(); k += kTurns) some.push_back(turn[k]);
  }
  return some;
}

/// One before the wall from each place.
inline std::vector<FiredTurn> turns_in_room(const std::vector<Stand>& places, const NoiseChain& chain,
                                            const TurnOptions& options = {}) {
  std::vector<FiredTurn> turns;
  for (const Stand& place : places) {
    turns.push_back(turn_in_room(place, static_cast<std::uint32_t>(turns.size()), chain, options));
  }
  return turns;
}

/// PCD of what came back; `ring`: with that field, counted from a number.
inline std::string turn_bytes(const FiredTurn& turn, std::optional<std::uint16_t> ring) {
  std::string data;
  std::size_t count = 0;
  for (const Fired& fired : turn) {
    if (!fired.is_back) continue;
    const std::array<float, 3> at = {static_cast<float>(fired.at_m.x), static_cast<float>(fired.at_m.y),
                                     static_cast<float>(fired.at_m.z)};
    const auto number = static_cast<std::uint16_t>(fired.ring + ring.value_or(0));
    data.append(reinterpret_cast<const char*>(at.data()), sizeof at), ++count;
    if (ring) data.append(reinterpret_cast<const char*>(&number), sizeof number);
  }
  return fmt::format(
      "VERSION 0.7\nFIELDS x y z{0}\nSIZE 4 4 4{1}\nTYPE F F F{2}\nCOUNT 1 1 1{3}\nWIDTH {4}\nHEIGHT 1\n"
      "VIEWPOINT 0 0 0 1 0 0 0\nPOINTS {4}\nDATA binary\n{5}",
      ring ? " ring" : "", ring ? " 2" : "", ring ? " U" : "", ring ? " 1" : "", count, data);
}

/// The clouds of turns, through files.
inline WallFrames frames_of(const std::vector<FiredTurn>& turns, std::optional<std::uint16_t> ring = {},
                            const std::string& sensor = "VLP-16") {
  const TemporaryFolder folder;
  std::vector<FrameFile> files;
  for (const FiredTurn& turn : turns) {
    const auto frame = static_cast<std::uint32_t>(files.size());
    files.push_back({frame, folder.write(fmt::format("cloud_{:03}.pcd", frame), turn_bytes(turn, ring))});
  }
  return read_wall_clouds(files, find_wall_lidar(sensor));
}

}  // namespace fathom::test
