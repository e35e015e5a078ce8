// SPDX-License-Identifier: MIT
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <fathom/core/error.hpp>
#include <fathom/live/live.hpp>
#include <fathom/simulate/run.hpp>
#include <fathom/simulate/sensor_noise.hpp>

#include "core/text.hpp"
#include "core/text/yaml.hpp"
#include "live/knobs.hpp"
#include "live/live_source.hpp"
#include "live/save_scene.hpp"
#include "live/simulated_source.hpp"

namespace fathom {

namespace {

using GivenJson = nlohmann::ordered_json;

SensorNoiseOptions noise_options_of(const GivenImage& given, const LiveOptions& options) {
  return {.seed = options.seed.value_or(0),
          .compute = options.compute,
          .rate_hz = given.rate_hz,
          .start_s = given.start_s,
          .far_m = given.far_m};
}

class GivenSource final : public LiveSource {
 public:
  GivenSource(GivenImage given, const LiveOptions& options);

  [[nodiscard]] Timeline timeline() const override { return simulated_timeline(1, given_.rate_hz, given_.start_s); }
  [[nodiscard]] std::vector<LiveTopic> topics() const override { return feed_.topics(); }
  [[nodiscard]] GivenJson state() const override;
  [[nodiscard]] GivenJson knobs() const override { return knobs_.json(); }
  [[nodiscard]] std::vector<Parameter> parameters() const override { return knobs_.parameters(); }
  void set(const Parameter& parameter) override;
  void show(std::uint32_t frame, TopicHub& hub) override;
  bool reload_if_saved() override;
  std::vector<std::filesystem::path> save_frame(std::string_view sensor) override;
  std::filesystem::path save_scene() override;

 private:
  void read();

  GivenImage given_;
  SensorNoise noise_;
  SensorFeed feed_;
  Knobs knobs_;
  std::vector<float> depth_m_;
  SavedFiles saved_;
  SaveFolder out_;
  std::string error_;  ///< of the image that was saved last; empty: that image is shown
};

}  // namespace

GivenSource::GivenSource(GivenImage given, const LiveOptions& options)
    : given_(std::move(given)),
      noise_(given_.sensor, noise_options_of(given_, options)),
      feed_(noise_.sensor()),
      out_(options.out) {
  knobs_.add(noise_.sensor(), Scene());
  saved_.watch({given_.file});
  read();
}

/// Throws InputError, and keeps the image, for one that cannot be shown.
void GivenSource::read() {
  std::vector<float> depth_m = given_.read_depth_m();
  Frame first({Channel::kReason});
  try {
    noise_.apply(0, {.depth_m = depth_m}, first);
  } catch (const InputError& error) {
    throw InputError(fmt::format("{}: {}", given_.file.string(), error.what()));
  }
  depth_m_ = std::move(depth_m);
}

GivenJson GivenSource::state() const {
  return {{"scene", given_.file.string()},
          {"error", error_.empty() ? GivenJson() : GivenJson(error_)},
          {"sensors", GivenJson::array({feed_.state()})},
          {"entities", GivenJson::array({"image"})},
          {"can_save", out_.is_given()}};
}

void GivenSource::set(const Parameter& parameter) {
  NoiseChain chain = knobs_.with(parameter);
  noise_.set_noise(chain);
  knobs_.keep(0, std::move(chain));
}

void GivenSource::show(std::uint32_t frame, TopicHub& hub) {
  if (feed_.wants_rays(hub)) feed_.publish_rays(noise_.pattern(frame), timeline().time_s(frame), hub);
  if (!feed_.wants_frame(hub)) return;
  feed_.publish_frame([&](Frame& out) { noise_.apply(frame, {.depth_m = depth_m_}, out); }, knobs_.chain(0), hub);
}

bool GivenSource::reload_if_saved() {
  if (!saved_.were_saved()) return false;
  try {
    read();
    error_.clear();
  } catch (const Error& error) {
    error_ = one_line(error.what());
  }
  return true;
}

std::vector<std::filesystem::path> GivenSource::save_frame(std::string_view sensor) {
  return {save_shown(out_, {&feed_, 1}, sensor)};
}

std::filesystem::path GivenSource::save_scene() {
  return out_.save(given_.file.stem().string(), ".yaml", [&](const std::filesystem::path& file) {
    const std::filesystem::path& scene = given_.scene_file;
    YamlValue root = scene.empty() ? parse_yaml(given_.scene_text, given_.file.string())
                                   : scene_yaml(scene, {}, read_scene_file(scene).inputs);
    set_noise(root, noise_.sensor(), Scene());
    set_camera(root, noise_.sensor());
    write_scene(file, root);
  });
}

std::unique_ptr<LiveSource> make_given_source(GivenImage given, const LiveOptions& options) {
  return std::make_unique<GivenSource>(std::move(given), options);
}

}  // namespace fathom
