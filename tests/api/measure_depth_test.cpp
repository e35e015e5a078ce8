// SPDX-License-Identifier: MIT
// A program measures frames of its depth camera, and writes the results.

#include <fathom/fathom.hpp>
#include <fathom/files/clouds.hpp>
#include <fathom/fit/reports.hpp>

#include "support/expect.hpp"

namespace fathom::test {
namespace {

TEST(MeasureDepthApi, FramesInMemoryAndInAFolderSayTheSame) {
  Scene scene;
  Entity walls;
  walls.name = "walls";
  walls.mesh = scene.add_mesh(make_box({4, 4, 3}));
  scene.add_entity(walls);
  Simulator simulator(std::move(scene), {.seed = 7});
  Sensor camera;
  camera.name = "camera";
  StereoCamera model;
  model.width = 240, model.height = 192, model.fx = 200, model.baseline_m = 0.1;
  camera.model = model;
  camera.noise = {Disparity{.stddev_px = 0.1F}};
  const SensorId id = simulator.add_sensor(camera);
  Frame frame({Channel::kDepth});

  const TemporaryFolder folder;
  std::filesystem::create_directory(folder / "in");
  const DepthMeasure::Options options = {.focal_baseline_px_m = 20.0, .threads = 1};
  DepthMeter meter(options);
  std::vector<float> all;
  for (std::uint32_t k = 0; k < 2; ++k) {
    simulator.render(id, k, frame);
    meter.add(frame.depth_m(), frame.rows(), frame.cols());
    all.insert(all.end(), frame.depth_m().begin(), frame.depth_m().end());
    write_npy(folder / "in" / ("depth_" + std::to_string(k) + ".npy"), frame, Channel::kDepth);
  }
  const DepthMeasure one = meter.result(), whole = measure_depth(all, 2, frame.rows(), frame.cols(), options);
  DepthReport::Options of_folder;
  of_folder.meter = options;
  const DepthReport::Folder read = measure_depth_folder(folder / "in", of_folder);
  EXPECT_NEAR(one.deviation_px.value, 0.1, 0.005);
  EXPECT_EQ(whole.deviation_px.value, one.deviation_px.value);
  EXPECT_EQ(read.measure.deviation_px.value, one.deviation_px.value);
  EXPECT_EQ(meter.picture().depth_m.size(), frame.depth_m().size());
  EXPECT_EQ(read_depth_image(depth_images_or_clouds(folder / "in").front()).cols, 240U);

  // Half of the image is left out, by a mask beside the images.
  std::vector<std::uint8_t> mask(frame.size());
  std::fill(mask.begin(), mask.begin() + static_cast<std::ptrdiff_t>(frame.size() / 2), 1);
  const DepthMeasure half = measure_depth(all, 2, frame.rows(), frame.cols(), options, mask);
  EXPECT_EQ(half.left_out, frame.size());
  EXPECT_EQ(half.pixels, frame.size());
  of_folder.left_out.lost_beyond_reach = true;
  EXPECT_THROW((void)depth_folder_inputs(folder / "in", of_folder), InputError) << "there are no reasons";
  for (std::uint32_t k = 0; k < 2; ++k) {
    Frame with({Channel::kDepth, Channel::kReason});
    simulator.render(id, k, with);
    write_npy(folder / "in" / ("reason_" + std::to_string(k) + ".npy"), with, Channel::kReason);
  }
  EXPECT_EQ(depth_folder_inputs(folder / "in", of_folder).size(), 4U);
  EXPECT_EQ(measure_depth_folder(folder / "in", of_folder).measure.left_out, 0U) << "the room is closed";

  check_result_folder(ResultKind::kDepth, folder / "out", false);
  DepthReport{{read}}.write(folder / "out");
  for (const auto& file : result_files(ResultKind::kDepth, folder / "out"))
    EXPECT_TRUE(std::filesystem::exists(file)) << file;
  const std::string printed = DepthReport{{read}}.text(ReportForm::kJson);
  EXPECT_TRUE(bytes_of(folder / "out/measure.json").starts_with(printed.substr(0, printed.rfind("\n}"))));
  const std::string page = bytes_of(folder / "out/report.html");
  for (const char* table : {"Error", "Correlation of the error", "Holes", "By distance"}) {
    EXPECT_TRUE(contains(page, std::string(">") + table + "<")) << table;
  }
  const std::string shown = DepthReport{{read}}.text(ReportForm::kTerminal);
  EXPECT_TRUE(contains(shown, "\nIn short\n"));
  EXPECT_LE(std::count(shown.begin(), shown.end(), '\n'), 24) << "a table of at most 20 lines";
}

}  // namespace
}  // namespace fathom::test
