// SPDX-License-Identifier: MIT
#include <cmath>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
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
#include "run/message_noise.hpp"
#include "sensor/sensor_view.hpp"

namespace fathom {

namespace {

using GivenJson = nlohmann::ordered_json;

SensorNoiseOptions noise_options_of(const GivenFile& given, const LiveOptions& options) {
  return {.seed = options.seed.value_or(0),
          .compute = options.compute,
          .rate_hz = given.rate_hz,
          .start_s = given.start_s,
          .far_m = given.far_m};
}

class GivenSource final : public LiveSource {
 public:
  GivenSource(GivenFile given, const LiveOptions& options);

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

  /// What the file holds: depths of an image, or a cloud.
  using Clean = std::variant<std::vector<float>, CleanCloud>;

  [[nodiscard]] bool is_image() const { return given_.read_depth_m != nullptr; }
  void apply(std::uint32_t frame, const Clean& clean, Frame& out);
  [[nodiscard]] RayPattern rays_of(const CleanCloud& cloud, RayPattern::Shape shape) const;

  GivenFile given_;
  SensorNoise noise_;
  Clean clean_;
  RayPattern cloud_rays_;
  SensorFeed feed_;
  Knobs knobs_;
  SavedFiles saved_;
  SaveFolder out_;
  std::string error_;  // of the file that was saved last; empty: that file is shown
};

}  // namespace

GivenSource::GivenSource(GivenFile given, const LiveOptions& options)
    : given_(std::move(given)),
      noise_(given_.sensor, noise_options_of(given_, options)),
      feed_(noise_.sensor()),
      out_(options.out) {
  knobs_.add(noise_.sensor(), Scene());
  saved_.watch({given_.file});
  read();
}

/// Throws InputError, and keeps what is shown, for a file that cannot be shown.
void GivenSource::read() {
  Clean clean;
  if (is_image()) {
    clean = given_.read_depth_m();
  } else {
    clean = read_clean_cloud(given_.file, noise_.sensor().noise);
  }
  Frame first({Channel::kReason});
  try {
    const bool rays_vary = make_view(noise_.sensor().model).rays_vary;
    if (rays_vary) apply(1, clean, first);  // a cloud may lie on the rays of frame 0 alone
    apply(0, clean, first);
  } catch (const InputError& error) {
    throw InputError(fmt::format("{}: {}", given_.file.string(), error.what()));
  }
  clean_ = std::move(clean);
  if (const auto* const cloud = std::get_if<CleanCloud>(&clean_)) {
    const RayPattern::Shape shape = {first.rows(), first.cols()};
    cloud_rays_ = rays_of(*cloud, shape);
    feed_ = SensorFeed(noise_.sensor(), shape);
  }
}

void GivenSource::apply(std::uint32_t frame, const Clean& clean, Frame& out) {
  if (const auto* const cloud = std::get_if<CleanCloud>(&clean)) return noise_.apply_cloud(frame, cloud->given(), out);
  noise_.apply(frame, {.depth_m = std::get<std::vector<float>>(clean)}, out);
}

/// From the origin through the points of the cloud that noise_ got last; zeros in columns where nothing was met.
RayPattern GivenSource::rays_of(const CleanCloud& cloud, RayPattern::Shape shape) const {
  RayPattern rays;
  rays.rows = shape.rows, rays.cols = shape.cols;
  const std::size_t count = std::size_t{shape.rows} * shape.cols;
  for (auto* const out : {&rays.direction_x, &rays.direction_y, &rays.direction_z}) out->resize(count);
  const std::span<const std::uint32_t> places = noise_.cloud_places();
  for (std::size_t i = 0; i < places.size(); ++i) {
    const float range = std::hypot(cloud.x_m[i], cloud.y_m[i], cloud.z_m[i]);
    if (places[i] >= count || !(range > 0.0F && std::isfinite(range))) continue;
    rays.direction_x[places[i]] = cloud.x_m[i] / range;
    rays.direction_y[places[i]] = cloud.y_m[i] / range;
    rays.direction_z[places[i]] = cloud.z_m[i] / range;
  }
  // The page aligns rows by the azimuths of their first rays, so a gap takes a ray of another row in its column.
  const auto copy = [&](std::size_t from, std::size_t to) {
    for (auto* const d : {&rays.direction_x, &rays.direction_y, &rays.direction_z}) (*d)[to] = (*d)[from];
  };
  const auto is_known = [&](std::size_t at) {
    return rays.direction_x[at] != 0.0F || rays.direction_y[at] != 0.0F || rays.direction_z[at] != 0.0F;
  };
  for (std::size_t col = 0; col < shape.cols; ++col) {
    std::size_t from = col;
    while (from < count && !is_known(from)) from += shape.cols;
    for (std::size_t at = col; from < count && at < count; at += shape.cols) {
      if (!is_known(at)) copy(from, at);
    }
  }
  return rays;
}

GivenJson GivenSource::state() const {
  return {{"scene", given_.file.string()},
          {"error", error_.empty() ? GivenJson() : GivenJson(error_)},
          {"sensors", GivenJson::array({feed_.state()})},
          {"entities", GivenJson::array({is_image() ? "image" : "cloud"})},
          {"can_save", out_.is_given()}};
}

void GivenSource::set(const Parameter& parameter) {
  NoiseChain chain = knobs_.with(parameter);
  noise_.set_noise(chain);
  knobs_.keep(0, std::move(chain));
}

void GivenSource::show(std::uint32_t frame, TopicHub& hub) {
  if (feed_.wants_rays(hub)) {
    feed_.publish_rays(is_image() ? noise_.pattern(frame) : cloud_rays_, timeline().time_s(frame), hub);
  }
  if (!feed_.wants_frame(hub)) return;
  feed_.publish_frame([&](Frame& out) { apply(frame, clean_, out); }, knobs_.chain(0), hub);
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

std::unique_ptr<LiveSource> make_given_source(GivenFile given, const LiveOptions& options) {
  return std::make_unique<GivenSource>(std::move(given), options);
}

}  // namespace fathom
