// SPDX-License-Identifier: MIT
// Tables of report.html fit a phone: Chromium, where it is at hand, shows the pages 420 px wide.

#include "beam_files.hpp"
#include "calibrate_chain.hpp"

namespace cli_test {
namespace {

std::string chromium() {
  for (const char* place : {"/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"}) {
    if (std::filesystem::exists(place)) return place;
  }
  return "";
}

struct Width {
  int content = 0, shown = 0;
  std::string text;  ///< where the table begins
};

constexpr int kWidths[] = {420, 1200};  // of a phone and of a screen

/// Of the page, first, and of its boxes that scroll, at each of kWidths. Windows have a least width, so frames in one
/// have these.
std::vector<std::vector<Width>> widths(const std::string& page, const TemporaryFolder& folder) {
  std::string text = bytes_of(page), quoted;
  for (const char c : text) quoted += c == '&' ? std::string("&amp;") : c == '"' ? "&quot;" : std::string(1, c);
  std::string html = R"(<!DOCTYPE html><body><script>
onload = () => {
  const lines = [];
  for (const frame of document.querySelectorAll('iframe')) {
    const page = frame.contentDocument;
    for (const details of page.querySelectorAll('details')) details.open = true;
    const boxes = [page.documentElement, ...page.querySelectorAll('.scroll')];
    lines.push('WIDTHS');
    for (const b of boxes) lines.push(`${b.scrollWidth} ${b.clientWidth} ${b.textContent.replace(/\s+/g, '').slice(0, 40)}`);
  }
  document.body.innerHTML = 'BEGIN\n' + lines.join('\n') + '\nEND';
};</script>)";
  for (const int width : kWidths) {
    html += "<iframe width=\"" + std::to_string(width) + "\" height=\"900\" srcdoc=\"" + quoted + "\"></iframe>";
  }
  const std::string frame = write_text(folder / "frame.html", html);
  const std::string command = chromium() +
                              " --headless --no-sandbox --disable-gpu --window-size=1400,1000 --dump-dom " +
                              "--user-data-dir=profile 'file://" + frame + "' > dom.txt 2> err.txt";
  EXPECT_EQ(run_shell(command, folder.path()), 0) << bytes_of(folder / "err.txt");
  std::istringstream lines(bytes_of(folder / "dom.txt"));
  std::vector<std::vector<Width>> found;
  std::string line;
  while (std::getline(lines, line) && line.find("BEGIN") == std::string::npos) continue;
  while (std::getline(lines, line) && line.find("END") == std::string::npos) {
    if (line == "WIDTHS") {
      found.emplace_back();
      continue;
    }
    Width w;
    std::istringstream(line) >> w.content >> w.shown >> w.text;
    if (!found.empty()) found.back().push_back(w);
  }
  return found;
}

class PageWidth : public CalibrateChain {
 protected:
  void SetUp() override {
    if (chromium().empty()) GTEST_SKIP() << "Chromium is not at hand";
  }
  void expect_fits(const std::string& page, std::size_t tables) {
    const std::vector<std::vector<Width>> at = widths(page, folder_);
    ASSERT_EQ(at.size(), std::size(kWidths)) << page;
    for (std::size_t k = 0; k < at.size(); ++k) {
      ASSERT_EQ(at[k].size(), tables + 1) << page;
      EXPECT_GT(at[k].front().shown, kWidths[k] - 40);
      EXPECT_LE(at[k].front().shown, kWidths[k]);
      for (const Width& w : at[k]) EXPECT_LE(w.content, w.shown) << page << " at " << kWidths[k] << " px: " << w.text;
    }
  }
};

TEST_F(PageWidth, OfAChainWithSevenParameters) {
  const std::string file = scene(kLidarScene), run = simulated(file, "run");
  const std::string out = folder_ / "fit";
  succeed({"fit", "chain", file, "--measured", run, "--free", "*", "--set",
           "sensors.lidar.noise=[{loss_angle: {max_incidence_deg: 80}}, {gain_bias: {}}, {distance: {stddev_m: 0.05}}, "
           "{dropout: {probability: 0.3}}]",
           "--out", out});
  expect_fits(out + "/report.html", 3);  // summary, parameters, correlations
}

TEST_F(PageWidth, OfAWallOfALidar) {
  const std::string lidar = "type: spinning_lidar\nelevation_deg: [-12, -8, -4, 0, 4, 8]\ncolumns: 240\n";
  const std::string file = write_text(folder_ / "wall.yaml", R"(
seed: 7
frames: 24
rate_hz: 1
sensors:
  - name: lidar
    type: spinning_lidar
    elevation_deg: [-12, -8, -4, 0, 4, 8]
    columns: 240
    motion:
      keyframes:
        - {time_s: 0, position_m: [-0.8, 0, 1], rpy_deg: [0, 0, -20]}
        - {time_s: 23, position_m: [-4.4, 0, 1], rpy_deg: [0, 0, 20]}
    noise: [{student: {scale_m: 0.01, nu: 3}}, {loss_angle: {max_incidence_deg: 70}}, {dropout: {probability: 0.05}}]
    outputs: [pcd]
scene:
  meshes: {wall: {box: {size_m: [0.1, 40, 20]}}}
  entities: [{name: wall, mesh: wall, position_m: [0.05, 0, 0]}]
)");
  const std::string out = folder_ / "fit", run = simulated(file, "run");
  succeed({"fit", "wall", run + "/lidar", "--sensor", write_text(folder_ / "lidar.yaml", lidar), "--distances",
           "0:8=1.44,8:16=2.69,16:24=3.94", "--max-returns", "5000", "--out", out});
  expect_fits(out + "/report.html", 7);  // summary, parameters, size, error of the range, losses, tape, frames
}

TEST_F(PageWidth, OfBeamModelAndLikelihoodField) {
  const BeamFiles files;
  for (const char* model : {"beam", "field"}) {
    const std::string out = files / model;
    succeed({"fit", model, "--map", files.map(), "--log", files.log(), "--max-range", "8", "--out", out});
    expect_fits(out + "/report.html", 2);  // summary, parameters
  }
}

}  // namespace
}  // namespace cli_test
