// SPDX-License-Identifier: MIT
// Kinds of output: their tables match the reader of scene files and the pages, their files match their descriptions,
// and a user's kind works as the registered ones do.

#include <fathom/frame/frame.hpp>
#include <fathom/sensor/presets.hpp>
#include <fathom/simulate/output.hpp>

#include "core/text/formats.hpp"
#include "frame/frame_writer.hpp"
#include "run/scene_fixture.hpp"
#include "scene_fixture.hpp"

namespace fathom::test {
namespace {

std::string page(const std::string& name) {
  std::ostringstream text;
  text << std::ifstream(std::string(FATHOM_SOURCE_DIR) + "/docs/" + name).rdbuf();
  return text.str();
}

std::string scene_with(const std::string& output) {
  return "scene: {meshes: {b: {box: {size_m: [8, 6, 3]}}}, entities: [{name: b, mesh: b}]}\n"
         "sensors: [{name: s, type: laser_2d, rays: 4, min_azimuth_deg: -90, max_azimuth_deg: 90, max_range_m: 9, "
         "outputs: [" +
         output + "]}]\n";
}

/// The error of a scene with this output; empty without an error.
std::string refusal(const TemporaryFolder& folder, const std::string& output) {
  return input_error([&] { read_scene_file(folder.write("scene.yaml", scene_with(output))); });
}

TEST(OutputList, HoldsTheWordsAndKeysThatScenesKnow) {
  const TemporaryFolder folder;
  std::vector<std::string> words;
  for (const OutputInfo& output : output_list()) {
    words.emplace_back(output.slug);
    const std::string word(output.slug);
    EXPECT_EQ(refusal(folder, word), "");
    std::vector<std::string> keys;
    for (const FieldInfo& option : output.options) {
      keys.emplace_back(option.name);
      if (option.default_value.empty()) continue;
      const std::string value(option.default_value);
      EXPECT_EQ(refusal(folder, word + ": {" + keys.back() + ": " + value + "}"), "") << word << "." << keys.back();
    }
    if (keys.empty()) continue;
    std::sort(keys.begin(), keys.end());
    std::string known;
    for (const std::string& key : keys) known += (known.empty() ? "" : ", ") + key;
    const std::string complaint = refusal(folder, word + ": {zzzzzzzzzzzzzzzzzzzz: 1}");
    EXPECT_TRUE(contains(complaint, "(known here: " + known + ")"));
  }
  std::string known;
  for (const std::string& word : words) known += (known.empty() ? "" : ", ") + word;
  const std::string complaint = refusal(folder, "zzzzzzzzzzzzzzzzzzzz");
  EXPECT_TRUE(contains(complaint, "is not one of " + known));
}

TEST(OutputList, IsWhatTheSceneFormatSays) {
  const std::string text = page("scene-format.md");
  for (const OutputInfo& output : output_list()) {
    const std::size_t row = text.find("\n| `" + std::string(output.slug) + "` |");
    ASSERT_NE(row, std::string::npos) << output.slug;
    const std::string line = text.substr(row + 1, text.find('\n', row + 1) - row);
    EXPECT_TRUE(contains(line, std::string(output.file))) << output.slug;
    if (line.find("the same") != std::string::npos) continue;
    for (const FieldInfo& option : output.options) {
      EXPECT_TRUE(contains(line, "`" + std::string(option.name) + "`")) << output.slug << option.name;
    }
  }
}

TEST(ChannelList, IsWhatTheOutputFormatsSay) {
  const std::string text = page("output-formats.md");
  const std::string table = text.substr(text.find("\n## NPY"));
  for (const ChannelInfo& channel : channel_list()) {
    const std::size_t at = table.find("`" + std::string(channel.name()) + "`");
    ASSERT_NE(at, std::string::npos) << channel.name();
    const std::string line = table.substr(at, table.find('\n', at) - at);
    const std::string type = channel.type == ElementType::kFloat32  ? "<f4"
                             : channel.type == ElementType::kUint32 ? "<u4"
                             : channel.type == ElementType::kUint16 ? "<u2"
                                                                    : "u1";
    EXPECT_TRUE(contains(line, type));
    EXPECT_EQ(line.find("cols, 3]") != std::string::npos, channel.planes == 3) << line;
    // The table of the fields of points has the unit.
    const std::size_t row = text.find("| `" + std::string(channel.name()) + "` | ");
    if (row == std::string::npos) continue;
    const std::string field = text.substr(row, text.find('\n', row) - row);
    if (channel.unit.empty()) continue;
    EXPECT_TRUE(contains(field, "| " + std::string(channel.unit) + " |"));
  }
}

}  // namespace
}  // namespace fathom::test

namespace fathom {

// A kind that is not registered, as a user's: a text with the number of rays that returned and, with `log`, one text
// for all frames.
struct HitCountOutput {
  double at_least_m = 0.0;  ///< nearer returns do not count
  bool log = false;
  std::string_view word = "hits";

  static constexpr std::string_view kSlug = "hit_count";
  static constexpr std::string_view kFile = "hits_000000.txt";
  static constexpr std::string_view kDoc = "how many rays returned";
  static constexpr auto fields() {
    return std::array<Field<HitCountOutput>, 2>{{
        {"at_least_m", "m", &HitCountOutput::at_least_m, 0, 100, "nearer returns do not count"},
        {"log", "1", &HitCountOutput::log, 0, 0, "whether all frames go into one file"},
    }};
  }

  [[nodiscard]] std::optional<OutputInfo::Mismatch> mismatch() const {
    if (!log || at_least_m == 0.0) return std::nullopt;
    return OutputInfo::Mismatch{"log", "counts all returns"};
  }
  [[nodiscard]] ChannelSet needs(const Sensor& /*sensor*/) const { return {Channel::kRange}; }
  [[nodiscard]] std::string count(const Frame& frame) const {
    int hits = 0;
    for (const float range_m : frame.range_m()) hits += range_m >= at_least_m ? 1 : 0;
    return std::to_string(hits) + "\n";
  }
  [[nodiscard]] std::vector<OutputFile> files(const Sensor& /*sensor*/) const;
  void check_run(Simulator& simulator, SensorId sensor, std::uint32_t frames) const {
    if (frames > 3) throw InputError(simulator.sensor(sensor).name + ": three frames are enough");
  }
};

class HitCountLog final : public OutputFile::Log {
 public:
  HitCountLog(const HitCountOutput& output, std::filesystem::path file) : output_(output), file_(std::move(file)) {}
  void add(const Frame& frame, const OutputFile::Context& context) override {
    text_ += std::to_string(context.world_from_sensor.translation_m.x) + " " + output_.count(frame);
  }
  void commit() override { std::ofstream(file_) << text_; }

 private:
  HitCountOutput output_;
  std::filesystem::path file_;
  std::string text_;
};

std::vector<OutputFile> HitCountOutput::files(const Sensor& /*sensor*/) const {
  OutputFile file;
  file.stem = word;
  file.extension = "txt";
  file.bytes_at_most = [](const OutputFile::Shape& shape, std::uint32_t frames) {
    return frames * (20 + std::to_string(shape.rays()).size());
  };
  if (log) {
    file.begin_log = [*this](const std::filesystem::path& path, const RayPattern&) {
      return std::make_unique<HitCountLog>(*this, path);
    };
  } else {
    file.write = [*this](const std::filesystem::path& path, const Frame& frame, const OutputFile::Context&) {
      std::ofstream(path) << count(frame);
    };
  }
  return {file};
}

namespace {

using test::contains;
/// A lidar of 16 x 90 rays in a box. All rays return, from 1.5 to 5 m.
const char* const kBoxed =
    "scene: {meshes: {b: {box: {size_m: [8, 6, 3]}}}, entities: [{name: b, mesh: b}]}\n"
    "sensors: [{name: lidar, preset: VLP-16, columns: 90, position_m: [1, 0, 0], noise: []}]\n"
    "frames: 2\n";

TEST(OwnOutput, IsPlannedAndRun) {
  const test::TemporaryFolder folder;
  SceneSetup setup = read_scene_text(kBoxed, "s.yaml", {});
  setup.sensors[0].outputs = {HitCountOutput{}, HitCountOutput{.at_least_m = 100, .word = "far"},
                              HitCountOutput{.log = true, .word = "log"}, NpyOutput{}};
  RunOptions options;
  options.out = folder / "out";

  const RunPlan plan = plan_run(setup, options);
  const std::vector<RunPlan::Sensor::Output>& planned = plan.sensors.at(0).outputs;
  ASSERT_EQ(planned.size(), 4U);
  EXPECT_EQ(planned[0].first_file, "lidar/hits_000000.txt");
  EXPECT_EQ(planned[0].files, 2U);
  EXPECT_EQ(planned[0].bytes_at_most, 2 * 24U);
  EXPECT_EQ(planned[2].first_file, "lidar/log.txt");
  EXPECT_EQ(planned[2].files, 1U);
  EXPECT_EQ(plan.files(), 8U);

  const RunResult result = run_scene(setup, options);
  EXPECT_EQ(result.files.size(), 8U);
  const auto files = test::read_folder(options.out);
  EXPECT_EQ(files.at("lidar/hits_000000.txt"), "1440\n");
  EXPECT_EQ(files.at("lidar/hits_000001.txt"), "1440\n");
  EXPECT_EQ(files.at("lidar/far_000001.txt"), "0\n");
  EXPECT_EQ(files.at("lidar/log.txt"), "1.000000 1440\n1.000000 1440\n");
  const auto summary = nlohmann::json::parse(files.at("summary.json"));
  EXPECT_EQ(summary["files"].size(), 7U);
  EXPECT_EQ(summary["files"].back(), "lidar/log.txt");

  // A run that replaces it knows its files.
  options.force = true;
  setup.sensors[0].outputs = {};
  run_scene(setup, options);
  EXPECT_EQ(test::read_folder(options.out).size(), 1U);
}

TEST(OwnOutput, IsRefusedByItsTableAndItsChecks) {
  EXPECT_EQ(test::input_error([] { Output{HitCountOutput{.at_least_m = -1}}; }),
            "hit_count.at_least_m = -1 is not in [0, 100] m");
  EXPECT_EQ(test::input_error([] { Output{HitCountOutput{.at_least_m = 1, .log = true}}; }),
            "hit_count.log counts all returns");
  SceneSetup setup = read_scene_text(kBoxed, "s.yaml", {});
  setup.sensors[0].outputs = {HitCountOutput{}, HitCountOutput{.at_least_m = 1}};
  EXPECT_TRUE(contains(test::input_error([&] { plan_run(setup, {}); }), "write the same file hits_000000.txt"));
  for (const char* word : {"", "../hits", "a b"}) {
    setup.sensors[0].outputs = {HitCountOutput{.word = word}};
    EXPECT_TRUE(contains(test::input_error([&] { plan_run(setup, {}); }), "cannot name a file")) << word;
  }
  setup.sensors[0].outputs = {HitCountOutput{}};
  RunOptions options;
  options.frames = 4;
  EXPECT_EQ(test::input_error([&] { plan_run(setup, options); }), "s.yaml:2:11: lidar: three frames are enough");
  const Output output = HitCountOutput{.at_least_m = 3};
  EXPECT_EQ(output.info().options.at(0).name, "at_least_m");
  ASSERT_NE(output.get_if<HitCountOutput>(), nullptr);
  EXPECT_EQ(output.get_if<HitCountOutput>()->at_least_m, 3.0);
  EXPECT_EQ(output.get_if<NpyOutput>(), nullptr);
}

TEST(RegisteredOutputs, AreRefusedOutsideTheirLimits) {
  EXPECT_THROW(Output(BirdsEyeOutput{.pixels = 63}), InputError);
  EXPECT_THROW(Output(RangeImageOutput{.max_range_m = 0.0}), InputError);
  EXPECT_THROW(Output(DepthPngOutput{.channel = Channel::kIncidence}), InputError);
  EXPECT_THROW(Output(DepthPngOutput{.lost = LostValue::kNan}), InputError);
  EXPECT_THROW(Output(NpyOutput{.channels = {}}), InputError);
  EXPECT_THROW(Output(NpyOutput{.channels = {Channel::kReason}, .lost = LostValue::kZero}), InputError);
}

/// A kind with its usual options; then, for each option of words, with each of its words.
template <class M>
void append_variants(std::vector<Output>& outputs) {
  outputs.push_back(M{});
  for (const FieldInfo& option : describe<M>()) {
    for (std::size_t word = 0; word < option.choices.size(); ++word) {
      M model;
      if constexpr (requires { model.pixels; }) model.pixels = 64;  // to be fast
      set_field(model, option.name, static_cast<double>(word));
      if constexpr (requires { model.mismatch(); }) {
        if (model.mismatch()) continue;
      }
      outputs.push_back(model);
    }
  }
}

std::vector<Output> many_outputs() {
  std::vector<Output> outputs;
  const auto append = [&]<class... Kinds>(const std::variant<Kinds...>*) { (append_variants<Kinds>(outputs), ...); };
  append(static_cast<const RegisteredOutput*>(nullptr));
  return outputs;
}

/// Rays in the x-y plane, as a log needs them.
RayPattern six_rays() {
  RayPattern pattern;
  pattern.rows = 1, pattern.cols = 6;
  pattern.direction_x.assign(6, 1.0F), pattern.direction_y.assign(6, 0.0F), pattern.direction_z.assign(6, 0.0F);
  pattern.min_range_m = {0.0F}, pattern.max_range_m = {20.0F};
  return pattern;
}

void write_output(const OutputFile& file, const std::filesystem::path& path, const Frame& frame) {
  if (!file.is_log()) return file.write(path, frame, {});
  const auto log = file.begin_log(path, six_rays());
  log->add(frame, {});
  log->commit();
}

Sensor sensor_of(SensorModel model) {
  Sensor sensor;
  sensor.name = "s";
  sensor.model = std::move(model);
  return sensor;
}

/// A lidar of two rings that turns once round in three columns.
SpinningLidar turning_lidar() {
  SpinningLidar lidar;
  lidar.elevation_rad = {0.0, 0.1}, lidar.azimuth_offset_rad = {0.0, 2.0};
  lidar.columns = 3, lidar.max_range_m = 20;
  return lidar;
}

bool destaggers(const Output& output) {
  const auto* image = output.get_if<RangeImageOutput>();
  return image != nullptr && image->destagger == true;
}

TEST(RegisteredOutputs, NeedWhatTheyWrite) {
  const test::TemporaryFolder folder;
  DepthCamera camera;
  camera.width = 3, camera.height = 2, camera.fx = 4;
  Rosette rosette = std::get<Rosette>(find_preset("Mid-40").model);
  rosette.max_range_m = 20;
  for (const Sensor& sensor : {sensor_of(camera), sensor_of(rosette), sensor_of(turning_lidar())}) {
    for (const Output& output : many_outputs()) {
      if (destaggers(output) && !std::holds_alternative<SpinningLidar>(sensor.model)) {
        EXPECT_THROW((void)output.files(sensor), InputError);
        continue;
      }
      Frame frame(output.needs(sensor));
      FrameWriter(frame).resize(2, 3);
      for (const OutputFile& file : output.files(sensor)) {
        const auto path = folder / file.name(0);
        EXPECT_NO_THROW(write_output(file, path, frame)) << file.name(0);
        EXPECT_LE(std::filesystem::file_size(path), file.bytes_at_most({2, 3, frame.channels()}, 1)) << file.name(0);
      }
    }
  }
  const Sensor sensor = sensor_of(camera);
  EXPECT_EQ(RangeImageOutput{}.needs(sensor), ChannelSet{Channel::kRange});
  EXPECT_TRUE(PcdOutput{}.needs(sensor).contains(Channel::kRing)) << "fields of the cloud";
}

TEST(RegisteredOutputs, CallTheirFirstFileAsTheySay) {
  DepthCamera camera;
  camera.width = 3, camera.height = 2, camera.fx = 4;
  std::size_t kinds = 0;
  const auto check = [&]<class M>(const M& usual) {
    const std::vector<OutputFile> files = Output(usual).files(sensor_of(camera));
    ASSERT_EQ(files.size(), 1U) << M::kSlug;
    EXPECT_EQ(files[0].name(0), M::kFile);
    EXPECT_EQ(output_list()[kinds].slug, M::kSlug);
    ++kinds;
  };
  const auto check_all = [&]<class... Kinds>(const std::variant<Kinds...>*) { (check(Kinds{}), ...); };
  check_all(static_cast<const RegisteredOutput*>(nullptr));
  EXPECT_EQ(kinds, output_list().size());
}

}  // namespace
}  // namespace fathom
