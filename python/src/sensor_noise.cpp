// SPDX-License-Identifier: MIT
#include <fathom/simulate/sensor_noise.hpp>

#include <algorithm>
#include <memory>
#include <optional>
#include <vector>

#include "chain.hpp"
#include "frame.hpp"

namespace fathom::python {

namespace {

using namespace py::literals;

class SensorNoiseHandle {
 public:
  SensorNoiseHandle(const std::shared_ptr<Scene>& entities, const py::dict& spec, const py::object& seed, int threads,
                    double rate_hz, double start_s, double far_m, bool still, const py::object& environments,
                    const std::optional<std::string>& isa)
      : scene_(entities), watch_(std::make_shared<SignalWatch>()) {
    SensorNoiseOptions options;
    options.seed = seed_of(seed), options.compute = compute_of(threads, isa);
    options.rate_hz = rate_hz, options.start_s = start_s, options.far_m = far_m;
    options.still = still;
    options.entities.assign(scene_->entities().begin(), scene_->entities().end());
    options.should_stop = [watch = watch_] { return watch->should_stop(); };
    if (!environments.is_none()) options.environments = whole_from_1(environments);
    SensorSetup setup = sensor_of(spec);
    if (!setup.ranges.empty() && options.environments == 0) {
      throw InputError("sensor '" + setup.sensor.name + "': a number of it is a range: give a number, or environments");
    }
    options.ranges = setup.ranges;
    noise_.emplace(std::move(setup.sensor), options);
    const std::vector<float>& limits = noise_->pattern(0).max_range_m;
    farthest_m_ = *std::max_element(limits.begin(), limits.end());
  }

  void set_noise(const py::iterable& chain) {
    const Use use(in_use_, kName);
    noise_->set_noise(chain_of(chain));
  }

  void reset(py::handle env_ids, py::handle episode) {
    const Use use(in_use_, kName);
    const std::uint32_t count = noise_->options().environments;
    std::optional<std::vector<std::uint32_t>> chosen;
    if (!env_ids.is_none()) chosen = numbers(env_ids, "env_ids", -1, count == 0 ? 0xffffffff : count - 1);
    const EnvironmentNumbers which = chosen ? EnvironmentNumbers(*chosen) : EnvironmentNumbers();
    if (episode.is_none()) return noise_->reset(which);
    const std::size_t wanted = chosen ? chosen->size() : count;
    std::vector<std::uint32_t> episodes;
    if (PyLong_Check(episode.ptr()) != 0) {
      episodes.assign(wanted, whole32(episode, "episode"));
    } else {
      episodes = numbers(episode, "episode", static_cast<py::ssize_t>(wanted), 0xffffffff);
    }
    noise_->reset(which, episodes);
  }

  [[nodiscard]] py::array episodes() const { return copied<std::uint32_t>(noise_->episodes()).attr("astype")("int64"); }

  /// [environments, ranges], with the ranges as a list of dicts.
  [[nodiscard]] py::tuple drawn_values() const {
    const std::vector<ParameterRange::Drawn> names = noise_->drawn(0);
    const std::uint32_t count = noise_->options().environments;
    py::array_t<double> values({static_cast<py::ssize_t>(count), static_cast<py::ssize_t>(names.size())});
    double* value = values.mutable_data();
    for (std::uint32_t e = 0; e < count; ++e) {
      for (const ParameterRange::Drawn& one : noise_->drawn(e)) *value++ = one.value;
    }
    return py::make_tuple(drawn_list(*scene_, noise_->sensor().noise, names), values);
  }

  /// `number`: of the first image, or of all in environments; None: one after the last.
  std::shared_ptr<FrameHandle> apply(const std::string& name, py::handle values, double scale, py::handle number,
                                     py::handle normals, const std::string& normals_frame, py::handle entity_id,
                                     py::handle reflectivity, py::handle pose, py::handle motion, py::handle channels,
                                     py::handle out) {
    const Use use(in_use_, kName);
    const std::uint32_t index = number.is_none() ? 0 : whole32(number, "index");
    const bool follows = number.is_none();
    const Images images(*this, name, values, scale);
    std::vector<GivenFrame> given(images.count);
    const Floats normal = optional_floats(normals, "normals", images, true);
    const Floats reflects = optional_floats(reflectivity, "reflectivity", images, false);
    const std::vector<std::uint32_t> ids = ids_of(entity_id, images);
    const Pose place = pose.is_none() ? Pose{} : pose_of(pose, "pose");
    const std::vector<GivenFrame::Motion> motions = motions_of(motion, images);
    for (std::size_t k = 0; k < images.count; ++k) {
      const auto part = [&](const auto& all, std::size_t planes) {
        const auto every = std::span(all.data(), static_cast<std::size_t>(all.size()));
        return every.empty() ? every : every.subspan(k * planes * images.rays, planes * images.rays);
      };
      (name == "depth" ? given[k].depth_m : given[k].range_m) = part(images.values, 1);
      given[k].normal = part(normal, 3), given[k].reflectivity = part(reflects, 1);
      given[k].entity_id = part(ids, 1);
      given[k].normal_frame = word_of<NormalFrame>(normals_frame, "normals_frame");
      given[k].world_from_sensor = place;
      if (!motions.empty()) given[k].motion = motions[motions.size() == 1 ? 0 : k];
    }
    const std::unique_ptr<Use> use_of_out = use_of_frame(out);
    const RayPattern::Shape shape = image_shape(noise_->sensor());
    const FrameLayout layout = {images.layout.environments, shape.rows, shape.cols};
    std::shared_ptr<FrameHandle> handle = frame_for(out, channels, layout, farthest_m_, pool_);
    const std::shared_ptr<Frame> frame = handle->shared();
    watch_->begin();
    released([&] { follows ? noise_->apply(given, *frame) : noise_->apply(index, given, *frame); });
    return handle;
  }

  [[nodiscard]] py::tuple shape() const { return py::make_tuple(noise_->rows(), noise_->cols()); }
  [[nodiscard]] bool is_camera() const { return lens_of(noise_->sensor().model).has_value(); }
  [[nodiscard]] FrameTime frame_time(py::handle number) const { return noise_->frame_time(whole32(number, "index")); }

 private:
  static constexpr const char* kName = "this SensorNoise";

  static std::uint32_t whole_from_1(py::handle environments) {
    return static_cast<std::uint32_t>(whole(environments, "environments", 1, 0xffffffff));
  }

  /// An array [size] of whole numbers; size -1: any.
  static std::vector<std::uint32_t> numbers(py::handle value, const char* name, py::ssize_t size, std::int64_t most) {
    const std::string wanted = size < 0 ? "(E,)" : "a number or (" + std::to_string(size) + ",)";
    const Integers given = integers(value, name, {{size}, wanted.c_str()}, 0, most);
    return {given.data(), given.data() + given.size()};
  }

  /// One image [rows, cols], or several [N, rows, cols].
  struct Images {
    /// take(the shape of an array for each ray, with 3 numbers each if `points`); `batch`: its images; 0: it is one.
    template <class Take>
    auto shaped(py::ssize_t batch, bool points, const char* text, Take take) const {
      const py::ssize_t r = rows, c = cols;
      if (batch == 0) return points ? take({{r, c, 3}, text}) : take({{r, c}, text});
      return points ? take({{batch, r, c, 3}, text}) : take({{batch, r, c}, text});
    }
    /// Whole numbers need a scale, m.
    Images(const SensorNoiseHandle& handle, const std::string& name, py::handle given, double scale) {
      rows = handle.noise_->rows(), cols = handle.noise_->cols();
      const py::array any = any_array(given, name);
      is_batch = any.ndim() == 3;
      count = is_batch ? static_cast<std::size_t>(any.shape(0)) : 1;
      rays = std::size_t{rows} * cols;
      if (!(scale > 0.0)) throw InputError("scale: " + std::string(py::str(py::float_(scale))) + " is not above 0");
      if (scale == 1.0 && (any.dtype().kind() == 'i' || any.dtype().kind() == 'u')) {
        throw InputError(name + ": whole numbers (" + std::string(py::str(any.dtype())) +
                         ") need a scale, such as scale=0.001 for millimetres");
      }
      const std::string shape = "(" + std::to_string(rows) + ", " + std::to_string(cols) + ")";
      const std::string text = shape + " or (N, " + shape.substr(1);
      values = shaped(is_batch ? -1 : 0, false, text.c_str(),
                      [&](const Shape& wanted) { return floats(any, name, wanted, Finite::kNo); });
      if (count == 0) throw InputError(name + ": no image given");
      if (scale != 1.0) scale_by(static_cast<float>(scale));
      layout = {is_batch ? static_cast<std::uint32_t>(count) : 0, rows, cols};
    }
    /// For an array of all images.
    template <class Take>
    auto shaped(bool points, Take take) const {
      const char* const text = points ? "the shape of the image with 3 more" : "the shape of the image";
      return shaped(is_batch ? static_cast<py::ssize_t>(count) : 0, points, text, take);
    }
    void scale_by(float scale) {
      Floats scaled(std::vector<py::ssize_t>(values.shape(), values.shape() + values.ndim()));
      std::transform(values.data(), values.data() + values.size(), scaled.mutable_data(),
                     [scale](float value) { return value * scale; });
      values = std::move(scaled);
    }

    std::uint32_t rows, cols;
    bool is_batch;
    std::size_t count, rays;
    Floats values;
    FrameLayout layout;
  };

  static Floats optional_floats(py::handle value, const std::string& name, const Images& images, bool points) {
    if (value.is_none()) return {};
    return images.shaped(points, [&](const Shape& wanted) { return floats(value, name, wanted, Finite::kNo); });
  }

  /// (way, angle) of all images, or of each: [N, 2].
  static std::vector<GivenFrame::Motion> motions_of(py::handle value, const Images& images) {
    if (value.is_none()) return {};
    const py::ssize_t batch = static_cast<py::ssize_t>(images.count);
    const bool is_pair = any_array(value, "motion").ndim() == 1;
    const Doubles sums = doubles(value, "motion", is_pair ? Shape{{2}, "(2,)"} : Shape{{batch, 2}, "(N, 2)"});
    std::vector<GivenFrame::Motion> motions;
    for (py::ssize_t k = 0; k < (is_pair ? 1 : batch); ++k) {
      motions.push_back({sums.data()[2 * k], sums.data()[2 * k + 1]});
    }
    return motions;
  }

  /// -1, as frames of Python have it, is no entity.
  static std::vector<std::uint32_t> ids_of(py::handle value, const Images& images) {
    if (value.is_none()) return {};
    const Integers ids =
        images.shaped(false, [&](const Shape& wanted) { return integers(value, "entity_id", wanted, -1, 0xffffffff); });
    return {ids.data(), ids.data() + ids.size()};
  }

  std::shared_ptr<Scene> scene_;  // for names
  std::shared_ptr<SignalWatch> watch_;
  std::optional<SensorNoise> noise_;
  double farthest_m_ = 0.0;
  FramePool pool_;
  InUse in_use_;
};

}  // namespace

void bind_sensor_noise(py::module_& m) {
  py::class_<SensorNoiseHandle>(m, "_SensorNoise")
      .def(py::init<const std::shared_ptr<Scene>&, const py::dict&, const py::object&, int, double, double, double,
                    bool, const py::object&, const std::optional<std::string>&>(),
           "entities"_a, "spec"_a, "seed"_a, "threads"_a, "rate_hz"_a, "start_s"_a, "far_m"_a, "still"_a,
           "count"_a = py::none(), "isa"_a = py::none())
      .def("reset", &SensorNoiseHandle::reset, "env_ids"_a = py::none(), "episode"_a = py::none(),
           "Starts an episode in the environments env_ids [E] (None: all), with frame 0: the next episode of each, or\n"
           "`episode`, a number or [E]. Draws the parameters of the episode.")
      .def_property_readonly("episodes", &SensorNoiseHandle::episodes,
                             "The present episodes, int64 [environments]; a copy.")
      .def("_drawn_values", &SensorNoiseHandle::drawn_values)
      .def("_set_noise", &SensorNoiseHandle::set_noise, "chain"_a)
      .def("_apply", &SensorNoiseHandle::apply, "name"_a, "values"_a, "scale"_a, "index"_a = py::none(),
           "normals"_a = py::none(), "normals_frame"_a = "sensor", "entity_id"_a = py::none(),
           "reflectivity"_a = py::none(), "pose"_a = py::none(), "motion"_a = py::none(), "channels"_a = py::none(),
           "out"_a = py::none())
      .def_property_readonly("shape", &SensorNoiseHandle::shape, "(rows, cols) of its images.")
      .def_property_readonly("_is_camera", &SensorNoiseHandle::is_camera)
      .def("frame_time", &SensorNoiseHandle::frame_time, "index"_a,
           "When frame `index` is measured and when it arrives, as its Timing says.");
}

}  // namespace fathom::python
