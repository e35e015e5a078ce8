// SPDX-License-Identifier: MIT
#pragma once
// A small world for the beam commands: one room as a map, scans made in it, and parameters.

#include "process.hpp"

namespace cli_test {

/// 60 x 40 cells of 0.1 m: walls around, a pillar, all else free.
inline std::string room_pgm() {
  std::string image = "P5\n60 40\n255\n";
  for (int row = 0; row < 40; ++row) {
    for (int col = 0; col < 60; ++col) {
      const bool wall =
          row == 0 || col == 0 || row == 39 || col == 59 || (row > 24 && row < 30 && col > 40 && col < 46);
      image += static_cast<char>(wall ? 0 : 254);
    }
  }
  return image;
}

inline std::string room_yaml() {
  return "image: room.pgm\nresolution: 0.1\norigin: [-1, -1, 0]\nnegate: 0\noccupied_thresh: 0.65\nfree_thresh: "
         "0.196\n";
}

inline std::string good_parameters() {
  return "w_hit: 0.75\nw_short: 0.12\nw_max: 0.05\nw_rand: 0.08\nsigma_hit_m: 0.05\nlambda_short_per_m: 0.5\n"
         "max_range_m: 8\nexpected_floor_m: 0.05\n";
}

/// Poses in a circle, so that every wall is seen.
inline std::string poses_csv(int count) {
  std::string text = "x_m,y_m,yaw_rad\n";
  for (int i = 0; i < count; ++i) {
    text += std::to_string(1.5 + 0.02 * (i % 30)) + "," + std::to_string(1.0 + 0.03 * (i % 17)) + "," +
            std::to_string(0.37 * i) + "\n";
  }
  return text;
}

/// Map, parameters and 60 scans of 91 rays, drawn from the model: room.yaml, parameters.yaml, log.csv.
class BeamFiles {
 public:
  BeamFiles() {
    write_text(folder_ / "room.pgm", room_pgm());
    write_text(folder_ / "room.yaml", room_yaml());
    write_text(folder_ / "parameters.yaml", good_parameters());
    write_text(folder_ / "poses.csv", poses_csv(60));
    sampled_ = run_fathom({"beam", "sample", "--parameters", folder_ / "parameters.yaml", "--map",
                           folder_ / "room.yaml", "--poses", folder_ / "poses.csv", "--rays", "91", "--view", "270",
                           "--seed", "5", "--out", folder_ / "log.csv"});
  }
  [[nodiscard]] std::string operator/(const std::string& name) const { return folder_ / name; }
  [[nodiscard]] const Ended& sampled() const { return sampled_; }
  [[nodiscard]] std::string map() const { return folder_ / "room.yaml"; }
  [[nodiscard]] std::string log() const { return folder_ / "log.csv"; }
  [[nodiscard]] std::string parameters() const { return folder_ / "parameters.yaml"; }

 private:
  TemporaryFolder folder_;
  Ended sampled_;
};

inline std::vector<Words> read_csv(const std::string& text) {
  std::vector<Words> rows;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    rows.emplace_back();
    std::istringstream cells(line);
    for (std::string cell; std::getline(cells, cell, ',');) rows.back().push_back(cell);
  }
  return rows;
}

/// The commands in the room of BeamFiles.
class Beam : public testing::Test {
 protected:
  void SetUp() override { ASSERT_EQ(files_.sampled().exit_code, 0) << files_.sampled().err; }

  Ended fit(const std::string& out, const Words& options = {}, const char* model = "beam") {
    return run_fathom(Words{"fit", model, "--map", files_.map(), "--log", files_.log(), "--out", files_ / out} +
                      options);
  }
  Ended score(const Words& options = {}) {
    return run_fathom(
        Words{"score", "beam", "--map", files_.map(), "--log", files_.log(), "--parameters", files_.parameters()} +
        options);
  }
  json fit_json(const std::string& out) { return json::parse(bytes_of(files_ / (out + "/fit.json"))); }

  BeamFiles files_;
};

}  // namespace cli_test
