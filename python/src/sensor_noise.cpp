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
  SensorNoiseHandle(const Scene& entities, const py::dict& spec, const py::object& seed, int threads, double rate_hz,
                    double start_s, double far_m, const std::optional<std::string>& isa)
      : watch_(std::make_shared<SignalWatch>()) {
    SensorNoiseOptions options;
    options.seed = seed_of(seed), options.compute = compute_of(threads, isa);
    options.rate_hz = rate_hz, options.start_s = start_s, options.far_m = far_m;
    options.entities.assign(entities.entities().begin(), entities.entities().end());
    options.should_stop = [watch = watch_] { return watch->should_stop(); };
    SensorSetup setup = sensor_of(spec);
    if (!setup.ranges.empty()) {
      throw InputError("sensor '" + setup.sensor.name + "': a number of it is a range: give a number");
    }
    noise_.emplace(std::move(setup.sensor), options);
    const std::vector<float>& limits = noise_->pattern(0).max_range_m;
    farthest_m_ = *std::max_element(limits.begin(), limits.end());
  }

  void set_noise(const py::iterable& chain) {
    const Use use(in_use_, kName);
    noise_->set_noise(chain_of(chain));
  }

  std::shared_ptr<FrameHandle> apply(const std::string& name, py::handle values, py::handle number, py::handle normals,
                                     const std::string& normals_frame, py::handle entity_id, py::handle reflectivity,
                                     py::handle pose, py::handle channels, py::handle out) {
    const Use use(in_use_, kName);
    const std::uint32_t index = whole32(number, "index");
    const Images images(*this, name, values);
    std::vector<GivenFrame> given(images.count);
    const Floats normal = optional_floats(normals, "normals", images, true);
    const Floats reflects = optional_floats(reflectivity, "reflectivity", images, false);
    const std::vector<std::uint32_t> ids = ids_of(entity_id, images);
    const Pose place = pose.is_none() ? Pose{} : pose_of(pose, "pose");
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
    }
    std::optional<Use> use_of_out;
    if (!out.is_none()) {
      if (!py::isinstance<FrameHandle>(out)) throw InputError("out: not a Frame");
      use_of_out.emplace(py::cast<FrameHandle&>(out).in_use, "this Frame");
    }
    std::shared_ptr<FrameHandle> handle = frame_for(out, channels, images.layout, farthest_m_, pool_);
    const std::shared_ptr<Frame> frame = handle->shared();
    watch_->begin();
    released([&] { noise_->apply(index, given, *frame); });
    return handle;
  }

  [[nodiscard]] py::tuple shape() const { return py::make_tuple(noise_->rows(), noise_->cols()); }
  [[nodiscard]] bool is_camera() const { return has_depth(noise_->sensor().model); }
  [[nodiscard]] FrameTime frame_time(py::handle number) const { return noise_->frame_time(whole32(number, "index")); }

 private:
  static constexpr const char* kName = "this SensorNoise";

  static bool has_depth(const SensorModel& model) {
    return std::holds_alternative<PinholeCamera>(model) || std::holds_alternative<DepthCamera>(model) ||
           std::holds_alternative<StereoCamera>(model);
  }

  /// One image [rows, cols], or several [N, rows, cols].
  struct Images {
    Images(const SensorNoiseHandle& handle, const std::string& name, py::handle given) {
      rows = handle.noise_->rows(), cols = handle.noise_->cols();
      const py::array any = any_array(given, name);
      is_batch = any.ndim() == 3;
      count = is_batch ? static_cast<std::size_t>(any.shape(0)) : 1;
      rays = std::size_t{rows} * cols;
      const std::string text = "(" + std::to_string(rows) + ", " + std::to_string(cols) + ") or (N, " +
                               std::to_string(rows) + ", " + std::to_string(cols) + ")";
      const py::ssize_t r = rows, c = cols;
      values = is_batch ? floats(any, name, {{-1, r, c}, text.c_str()}, Finite::kNo)
                        : floats(any, name, {{r, c}, text.c_str()}, Finite::kNo);
      if (count == 0) throw InputError(name + ": no image given");
      layout = {is_batch ? static_cast<std::uint32_t>(count) : 0, rows, cols};
    }
    std::uint32_t rows, cols;
    bool is_batch;
    std::size_t count, rays;
    Floats values;
    FrameLayout layout;
  };

  static Floats optional_floats(py::handle value, const std::string& name, const Images& images, bool points) {
    if (value.is_none()) return {};
    const py::ssize_t n = static_cast<py::ssize_t>(images.count), r = images.rows, c = images.cols;
    const std::string text = points ? "the shape of the image with 3 more" : "the shape of the image";
    const char* const wanted = text.c_str();
    if (points) {
      return images.is_batch ? floats(value, name, {{n, r, c, 3}, wanted}, Finite::kNo)
                             : floats(value, name, {{r, c, 3}, wanted}, Finite::kNo);
    }
    return images.is_batch ? floats(value, name, {{n, r, c}, wanted}, Finite::kNo)
                           : floats(value, name, {{r, c}, wanted}, Finite::kNo);
  }

  static std::vector<std::uint32_t> ids_of(py::handle value, const Images& images) {
    if (value.is_none()) return {};
    const py::ssize_t n = static_cast<py::ssize_t>(images.count), r = images.rows, c = images.cols;
    constexpr std::int64_t kMost = 0xffffffff;
    const char* const wanted = "the shape of the image";
    const Integers ids = images.is_batch ? integers(value, "entity_id", {{n, r, c}, wanted}, -1, kMost)
                                         : integers(value, "entity_id", {{r, c}, wanted}, -1, kMost);
    return {ids.data(), ids.data() + ids.size()};
  }

  std::shared_ptr<SignalWatch> watch_;
  std::optional<SensorNoise> noise_;
  double farthest_m_ = 0.0;
  FramePool pool_;
  InUse in_use_;
};

}  // namespace

void bind_sensor_noise(py::module_& m) {
  py::class_<SensorNoiseHandle>(m, "_SensorNoise")
      .def(py::init<const Scene&, const py::dict&, const py::object&, int, double, double, double,
                    const std::optional<std::string>&>(),
           "entities"_a, "spec"_a, "seed"_a, "threads"_a, "rate_hz"_a, "start_s"_a, "far_m"_a, "isa"_a)
      .def("_set_noise", &SensorNoiseHandle::set_noise, "chain"_a)
      .def("_apply", &SensorNoiseHandle::apply, "name"_a, "values"_a, "index"_a, "normals"_a, "normals_frame"_a,
           "entity_id"_a, "reflectivity"_a, "pose"_a, "channels"_a = py::none(), "out"_a = py::none())
      .def_property_readonly("shape", &SensorNoiseHandle::shape, "(rows, cols) of its images.")
      .def_property_readonly("_is_camera", &SensorNoiseHandle::is_camera)
      .def("frame_time", &SensorNoiseHandle::frame_time, "index"_a,
           "When frame `index` is measured and when it arrives, as its Timing says.");
}

}  // namespace fathom::python
