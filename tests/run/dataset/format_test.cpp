// SPDX-License-Identifier: MIT
// Files with many units: their bytes by hand, faults that verifying finds, and estimates.

#include <sys/wait.h>

#include <nlohmann/json.hpp>

#include "render/simulators.hpp"
#include "run/dataset/dataset_fixture.hpp"

namespace fathom::test {
namespace {

namespace fs = std::filesystem;

DatasetOptions in_files(const DatasetFolder& data, const std::string& out, DatasetFormat format) {
  DatasetOptions options = data.options(out);
  options.files = {.format = format, .units_per_file = 4};
  return options;
}

/// The members of a tar file by POSIX.1-1988: name -> bytes; the checksums are compared.
std::map<std::string, std::string> members_of(const std::string& tar) {
  std::map<std::string, std::string> members;
  std::size_t at = 0;
  while (tar.at(at) != 0) {
    const std::string head = tar.substr(at, 512);
    unsigned sum = 8 * 32;
    for (std::size_t i = 0; i < head.size(); ++i) sum += i >= 148 && i < 156 ? 0U : static_cast<unsigned char>(head[i]);
    EXPECT_EQ(std::stoul(head.substr(148, 7), nullptr, 8), sum);
    EXPECT_EQ(head.substr(257, 5), "ustar");
    const std::size_t size = std::stoul(head.substr(124, 11), nullptr, 8);
    members[head.c_str()] = tar.substr(at + 512, size);
    at += 512 + (size + 511) / 512 * 512;
  }
  EXPECT_EQ(tar.substr(at), std::string(1024, 0));  // two empty blocks end it
  return members;
}

void add_members(const fs::path& dataset, std::map<std::string, std::string>& members) {
  for (const auto& [name, bytes] : files_in(dataset / "packs")) {
    if (name.ends_with(".tar")) members.merge(members_of(bytes));
  }
}

TEST(TarFiles, HoldTheArraysOfFolders) {
  const DatasetFolder data;
  render_dataset(data.setup, data.options("folders"));
  const DatasetOptions options = in_files(data, "tars", DatasetFormat::kWebDataset);
  EXPECT_EQ(render_dataset(data.setup, options).files, 5U);
  const UnitList units = dataset_units(data.setup, options);
  std::size_t compared = 0;
  std::map<std::string, std::string> members;
  add_members(options.run.out, members);
  for (std::uint64_t i = 0; i < units.size(); ++i) {
    const Unit unit = units.at(i);
    for (std::uint64_t f = unit.first_frame; f < unit.first_frame + unit.frames; ++f) {
      const std::string key = "00000" + std::to_string(unit.environment) + "_00000" + std::to_string(unit.episode) +
                              "_00000" + std::to_string(f);
      for (const std::string channel : {"range", "reason"}) {
        const fs::path file =
            data.folder / "folders" / Unit{i}.folder() / "laser" / (channel + "_00000" + std::to_string(f) + ".npy");
        EXPECT_TRUE(members.at(key + ".laser." + channel + ".npy") == bytes_of(file)) << key;
        ++compared;
      }
      const std::string& json = members.at(key + ".json");
      EXPECT_TRUE(contains(json, "\"frame\":" + std::to_string(f)));
      EXPECT_TRUE(contains(json, "stddev_m"));
    }
  }
  EXPECT_EQ(members.size(), compared / 2 * 3);
}

TEST(TimedDatasets, HaveNoFileOfAFrameThatIsDropped) {
  DatasetFolder data;
  std::string scene = kDatasetScene;
  const std::string timing =
      "    timing: {phase_s: 0.01, latency_s: 0.25, jitter_s: 0.01, drop_frame: 0.4, freeze: 0.3}\n";
  scene.insert(scene.find("    rolling: true"), timing);
  data.setup = data.read(scene);
  render_dataset(data.setup, data.options("folders"));
  DatasetOptions tars = in_files(data, "tars", DatasetFormat::kWebDataset);
  render_dataset(data.setup, tars);
  std::map<std::string, std::string> members;
  add_members(tars.run.out, members);
  const UnitList units = dataset_units(data.setup, tars);
  std::size_t dropped = 0;
  for (std::uint64_t i = 0; i < units.size(); ++i) {
    const Unit unit = units.at(i);
    const auto environment = static_cast<std::uint32_t>(unit.environment),
               episode = static_cast<std::uint32_t>(unit.episode);
    for (auto f = static_cast<std::uint32_t>(unit.first_frame); f < unit.first_frame + unit.frames; ++f) {
      const FrameTime time =
          frame_time(data.setup.sensors[0].sensor.timing, {}, episode_seed(5, environment, episode), "laser", f);
      dropped += time.is_dropped() ? 1 : 0;
      const std::string frame = "00000" + std::to_string(f);
      EXPECT_EQ(fs::exists(data.folder / "folders" / Unit{i}.folder() / "laser" / ("range_" + frame + ".npy")),
                !time.is_dropped());
      const std::string key = "00000" + std::to_string(environment) + "_00000" + std::to_string(episode) + "_" + frame;
      EXPECT_EQ(members.contains(key + ".laser.range.npy"), !time.is_dropped());
      EXPECT_EQ(members.at(key + ".json").find("\"delivered_s\":null") != std::string::npos, time.is_dropped());
    }
  }
  EXPECT_EQ(verify_dataset(data.folder / "folders").fault_count, 0U);
  EXPECT_GT(dropped, 4U);
  EXPECT_LT(dropped, 26U);
  if (!has_hdf5()) return;
  const DatasetOptions hdf5 = in_files(data, "hdf5", DatasetFormat::kHdf5);
  render_dataset(data.setup, hdf5);
  EXPECT_EQ(read_dataset_info(hdf5.run.out).complete, units.size());
  EXPECT_TRUE(contains(bytes_of(hdf5.run.out / "packs/000/000/000000000.h5"), "delivered_s"));
}

TEST(TimedDatasets, HaveAsManyFramesOfEachSensorInFiles) {
  DatasetFolder data;
  for (const auto& [timing, frames] :
       std::map<std::string, std::string>{{"rate_hz: 20", "10"}, {"phase_s: 0.1", "4"}, {"rate_hz: 2", "1"}}) {
    std::string scene = kDatasetScene;
    scene.insert(scene.find("    rolling: true"), "    timing: {" + timing + "}\n");
    data.setup = data.read(scene);
    const DatasetOptions options = in_files(data, "refused", DatasetFormat::kWebDataset);
    EXPECT_EQ(input_error([&] { render_dataset(data.setup, options); }),
              data.setup.file.string() + ":11:13: sensors.laser.timing: the sensor makes " + frames +
                  " frames while the scene makes 5; --format webdataset has as many of each sensor");
  }
}

TEST(Datasets, SayHowRaysWidenAndHowIntensitiesFall) {
  DatasetFolder data;
  const auto described = [&](const std::string& keys) {
    std::string scene = kDatasetScene;
    scene.insert(scene.find("    rolling: true"), keys);
    data.setup = data.read(scene);
    const DatasetOptions options = data.options("described" + std::to_string(keys.size()));
    render_dataset(data.setup, options);
    return nlohmann::json::parse(bytes_of(options.run.out / "dataset.json"))["sensors"][0];
  };
  const auto plain = described("");
  for (const char* key : {"returns", "coinciding", "divergence", "falloff", "velocity_noise"})
    EXPECT_FALSE(plain.contains(key)) << key;
  const auto one = described(
      "    divergence: {horizontal_rad: 0.0625, profile: uniform}\n    falloff: {law: inverse_square, reference_m: "
      "2}\n");
  EXPECT_FALSE(one.contains("returns") || one.contains("coinciding"));
  EXPECT_EQ(one["divergence"].dump(),
            R"({"horizontal_rad":0.0625,"profile":"uniform","separation_m":0.75,"vertical_rad":0.0})");
  EXPECT_EQ(one["falloff"].dump(), R"({"law":"inverse_square","reference_m":2.0})");
  const auto two = described(
      "    divergence: {horizontal_rad: 0.0625}\n    returns: [last, first]\n    coinciding: repeat\n"
      "    velocity_noise: [distance: {stddev_m: 0.5}]\n");
  EXPECT_EQ(two["returns"].dump(), R"(["last","first"])");
  EXPECT_EQ(two["coinciding"], "repeat");
  EXPECT_EQ(two["velocity_noise"][0]["model"], "distance");
  EXPECT_EQ(two["velocity_noise"][0]["parameters"]["stddev_m"], 0.5);
  EXPECT_EQ(two["divergence"]["profile"], "gaussian");
  EXPECT_FALSE(two.contains("falloff"));
}

TEST(PackFiles, AreVerified) {
  const DatasetFolder data;
  for (const DatasetFormat format : {DatasetFormat::kWebDataset, DatasetFormat::kHdf5}) {
    if (format == DatasetFormat::kHdf5 && !has_hdf5()) continue;
    const DatasetOptions options = in_files(data, "of" + std::to_string(static_cast<int>(format)), format);
    render_dataset(data.setup, options);
    EXPECT_EQ(read_dataset_info(options.run.out).complete, 18U);
    EXPECT_EQ(verify_dataset(options.run.out).fault_count, 0U);
    const std::string name =
        format == DatasetFormat::kHdf5 ? "packs/000/000/000000002.h5" : "packs/000/000/000000002.tar";
    std::string bytes = bytes_of(options.run.out / name);
    for (const std::size_t at : {std::size_t{0}, bytes.size() / 2, bytes.size() - 1}) {
      bytes[at] = static_cast<char>(bytes[at] ^ 1);
      write_bytes(options.run.out / name, bytes);
      const VerifyResult result = verify_dataset(options.run.out);
      ASSERT_EQ(result.faults.size(), 1U);
      EXPECT_EQ(result.faults[0], name + ": has other bytes than were written");
      bytes[at] = static_cast<char>(bytes[at] ^ 1);
    }
    write_bytes(options.run.out / name, bytes);
    EXPECT_EQ(verify_dataset(options.run.out).fault_count, 0U);
    fs::remove(options.run.out / name);
    EXPECT_EQ(verify_dataset(options.run.out).faults.at(0), name + ": is missing");
    const DatasetInfo info = read_dataset_info(options.run.out);
    EXPECT_EQ(info.complete, 14U);
    EXPECT_EQ(info.first_missing, 8U);
  }
}

TEST(PackFiles, OfOtherInputsAreMadeAnew) {
  const DatasetFolder data;
  DatasetOptions options = in_files(data, "tars", DatasetFormat::kWebDataset);
  render_dataset(data.setup, options);
  const auto first = files_in(options.run.out / "packs");
  options.resume = true;
  EXPECT_EQ(render_dataset(data.setup, options).skipped, 18U);
  options.run.seed = 6;
  EXPECT_EQ(render_dataset(data.setup, options).rendered, 18U);
  EXPECT_NE(files_in(options.run.out / "packs"), first);
  options.run.seed.reset();
  EXPECT_EQ(render_dataset(data.setup, options).rendered, 18U);
  EXPECT_EQ(files_in(options.run.out / "packs"), first);
  options.environments.end = 6;  // the last file had two units, and now has four
  const DatasetResult grown = render_dataset(data.setup, options);
  EXPECT_EQ(grown.skipped, 16U);
  EXPECT_EQ(grown.rendered, 14U);
}

TEST(PackFiles, RefuseASensorThatHasTheNameOfTheUnits) {
  if (!has_hdf5()) GTEST_SKIP() << "without HDF5";
  DatasetFolder data;
  std::string scene = kDatasetScene;
  scene.replace(scene.find("name: laser"), 11, "name: unit");
  data.setup = data.read(scene);
  const DatasetOptions options = in_files(data, "named", DatasetFormat::kHdf5);
  EXPECT_TRUE(
      contains(input_error([&] { render_dataset(data.setup, options); }), "scene.yaml: sensors: name 'unit': HDF5"));
  EXPECT_FALSE(fs::exists(options.run.out));
}

TEST(PackFiles, RefuseListsOfUnits) {
  const DatasetFolder data;
  DatasetOptions options = in_files(data, "tars", DatasetFormat::kWebDataset);
  options.units = {{3}};
  EXPECT_TRUE(
      contains(input_error([&] { return render_dataset(data.setup, options); }), "a list of units is for folders"));
  options = in_files(data, "h5", DatasetFormat::kHdf5);
  options.files.compression = 10;
  EXPECT_TRUE(
      contains(input_error([&] { return render_dataset(data.setup, options); }), "compression 10 is not in [0, 9]"));
}

TEST(EstimateDataset, CountsAllAndLeavesNothing) {
  const DatasetFolder data;
  DatasetOptions options = data.options("never");
  options.environments = {0, 1000};
  options.shard = {1, 4};
  for (const DatasetFormat format : {DatasetFormat::kFolders, DatasetFormat::kWebDataset}) {
    options.files = {.format = format, .units_per_file = 15};
    const auto before = files_in(data.folder / ".");
    const DatasetEstimate estimate = estimate_dataset(data.setup, options);
    EXPECT_EQ(files_in(data.folder / "."), before);
    EXPECT_EQ(estimate.units, 6000U);
    EXPECT_EQ(estimate.shard_units, 1500U);
    EXPECT_EQ(estimate.frames, 10000U);
    EXPECT_EQ(estimate.rays, 80000U);
    EXPECT_GT(estimate.sample_frames, 3U);
    EXPECT_GT(estimate.seconds, 0.0);
    EXPECT_NEAR(estimate.shard_seconds, estimate.seconds / 4, 1e-9);
  }
}

std::pair<std::uint64_t, std::uint64_t> files_and_bytes(const fs::path& folder) {
  std::uint64_t files = 0, bytes = 0;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (!entry.is_regular_file()) continue;
    ++files;
    bytes += entry.file_size();
  }
  return {files, bytes};
}

TEST(EstimateDataset, KnowsTheBytesOfSmallDatasets) {
  DatasetFolder data;
  std::string scene = kDatasetScene;
  scene.replace(scene.find("rays: 8"), 7, "rays: 800");
  data.setup = data.read(scene);
  for (const DatasetFormat format : {DatasetFormat::kFolders, DatasetFormat::kWebDataset, DatasetFormat::kHdf5}) {
    if (format == DatasetFormat::kHdf5 && !has_hdf5()) continue;
    for (const std::uint64_t per_file : {1, 4, 100}) {
      DatasetOptions options =
          data.options("some" + std::to_string(static_cast<int>(format)) + std::to_string(per_file));
      options.files = {.format = format, .units_per_file = per_file, .compression = 0};
      const DatasetEstimate estimate = estimate_dataset(data.setup, options);
      const DatasetResult result = render_dataset(data.setup, options);
      EXPECT_EQ(estimate.frames, 30U);
      const bool folders = format == DatasetFormat::kFolders;  // results count no unit.json and no other description
      EXPECT_EQ(estimate.files, result.files + (folders ? estimate.units : result.files));
      const auto [files, size] = files_and_bytes(options.run.out / (folders ? "units" : "packs"));
      EXPECT_EQ(estimate.files, files);
      const double bytes = static_cast<double>(size);
      EXPECT_NEAR(static_cast<double>(estimate.bytes), bytes, folders ? 0.01 * bytes : 0.1 * bytes)
          << to_string(format) << " " << per_file;
    }
  }
}

TEST(EstimateDataset, CountsTheFilesOfLargeDatasets) {
  const DatasetFolder data;
  DatasetOptions options = data.options("never");
  options.environments = {0, 1000};
  options.files = {.format = DatasetFormat::kWebDataset, .units_per_file = 700};
  EXPECT_EQ(estimate_dataset(data.setup, options).files, 18U);  // nine of 700 units, with a description each
}

TEST(EstimateDataset, PricesWhatIsLeft) {
  const DatasetFolder data;
  for (const DatasetFormat format : {DatasetFormat::kFolders, DatasetFormat::kWebDataset}) {
    DatasetOptions options = in_files(data, "half" + std::to_string(static_cast<int>(format)), format);
    options.shard = {0, 2};
    const std::uint64_t done = render_dataset(data.setup, options).rendered;
    EXPECT_EQ(estimate_dataset(data.setup, options).units, 18U);
    options.resume = true;
    const DatasetEstimate estimate = estimate_dataset(data.setup, options);
    EXPECT_EQ(estimate.complete_units, done);
    EXPECT_EQ(estimate.units, 18U - done);
    EXPECT_EQ(estimate.shard_units, 0U);
    EXPECT_EQ(estimate.shard_seconds, 0.0);
    options.shard = {1, 2};
    EXPECT_EQ(estimate.bytes > 0, estimate.units > 0);
    EXPECT_EQ(estimate_dataset(data.setup, options).shard_units, 18U - done);
  }
}

TEST(EstimateDataset, RemovesWhatAKilledOneLeft) {
  const DatasetFolder data;
  const pid_t child = fork();
  if (child == 0) _exit(0);
  ASSERT_EQ(waitpid(child, nullptr, 0), child);
  std::array<char, 256> host = {};
  gethostname(host.data(), host.size() - 1);
  const std::string name = std::string(".fathom-estimate.") + host.data() + "-";
  const fs::path dead = data.folder / (name + std::to_string(child) + ".part"), alive = data.folder / (name + "1.part");
  fs::create_directories(dead / "0/units");
  fs::create_directories(alive / "0/units");
  estimate_dataset(data.setup, data.options("some"));
  EXPECT_FALSE(fs::exists(dead));
  EXPECT_TRUE(fs::exists(alive));
}

/// Rendering with resume makes files of other sizes again.
TEST(PackFiles, ThatAreCutAreMadeAgain) {
  const DatasetFolder data;
  for (const DatasetFormat format : {DatasetFormat::kFolders, DatasetFormat::kWebDataset, DatasetFormat::kHdf5}) {
    if (format == DatasetFormat::kHdf5 && !has_hdf5()) continue;
    DatasetOptions options = in_files(data, "of" + std::to_string(static_cast<int>(format)), format);
    render_dataset(data.setup, options);
    const auto expected = files_in(options.run.out);
    options.resume = true;
    const bool folders = format == DatasetFormat::kFolders;
    const fs::path pack = options.run.out / (folders                                ? "units/000/000/000000002"
                                             : format == DatasetFormat::kWebDataset ? "packs/000/000/000000002.tar"
                                                                                    : "packs/000/000/000000002.h5");
    const auto expect_made_again = [&](const char* how) {
      EXPECT_GT(verify_dataset(options.run.out).fault_count, 0U) << how;
      EXPECT_LT(read_dataset_info(options.run.out).complete, 18U) << how;
      EXPECT_EQ(render_dataset(data.setup, options).rendered, folders ? 1U : 4U) << how;
      EXPECT_TRUE(files_in(options.run.out) == expected) << to_string(format) << " " << how;
    };
    const fs::path file = folders ? pack / "laser/range_000004.npy" : pack;
    fs::resize_file(file, 0);
    expect_made_again("empty");
    write_bytes(file, bytes_of(file) + "x");
    expect_made_again("longer");
    fs::remove_all(pack);
    folders ? write_bytes(pack, "a file") : static_cast<void>(fs::create_directories(pack / "a folder"));
    expect_made_again("of another kind");
    const fs::path description = folders ? pack / "unit.json" : fs::path(pack).replace_extension(".json");
    fs::resize_file(description, 10);
    expect_made_again("of a cut description");
    fs::remove(description);
    expect_made_again("without description");
    if (!folders) continue;
    fs::remove_all(pack / "laser");
    expect_made_again("without arrays");
  }
}

/// No library of a format opens a file: damaged HDF5 makes libhdf5 crash or never end.
TEST(PackFiles, ThatAreDamagedAreFoundByTheirDigest) {
  const DatasetFolder data;
  const DatasetFormat format = has_hdf5() ? DatasetFormat::kHdf5 : DatasetFormat::kWebDataset;
  DatasetOptions options = in_files(data, "packs", format);
  render_dataset(data.setup, options);
  const auto expected = files_in(options.run.out);
  const fs::path pack = options.run.out / (has_hdf5() ? "packs/000/000/000000000.h5" : "packs/000/000/000000000.tar");
  write_bytes(pack, std::string(bytes_of(pack).size(), 'x'));
  EXPECT_EQ(read_dataset_info(options.run.out).complete, 18U);  // compares sizes only
  const VerifyResult result = verify_dataset(options.run.out, {.remove_faulty = true});
  EXPECT_EQ(result.removed, 1U);
  EXPECT_EQ(result.left, 0U);
  EXPECT_EQ(result.faults.size(), 1U);
  options.resume = true;
  EXPECT_EQ(render_dataset(data.setup, options).rendered, 4U);
  EXPECT_TRUE(files_in(options.run.out) == expected);
}

}  // namespace
}  // namespace fathom::test
