// SPDX-License-Identifier: MIT
#include <memory>
#include <string>
#include <utility>

#include <fathom/core/error.hpp>
#include <fathom/simulate/dataset.hpp>

#include "arguments.hpp"
#include "binding.hpp"

namespace fathom::python {

using namespace pybind11::literals;

namespace {

using DatasetSetup = std::shared_ptr<SceneSetup>;

/// The first and the end of a range of numbers.
NumberRange number_range(const py::dict& spec, const char* name) {
  const auto pair = py::cast<py::tuple>(spec[name]);
  return {whole32(pair[0], name), whole32(pair[1], name)};
}

UnitList unit_list(const py::dict& spec) {
  return {number_range(spec, "environments"), number_range(spec, "episodes"), whole32(spec["frames"], "frames"),
          whole32(spec["block"], "block")};
}

/// The result of Python's units(): the units, and the inputs that decide their bits.
DatasetOptions dataset_options(const py::dict& spec) {
  DatasetOptions options;
  options.environments = number_range(spec, "environments"), options.episodes = number_range(spec, "episodes");
  options.block = whole32(spec["block"], "block");
  options.run.frames = whole32(spec["frames"], "frames");
  options.run.seed = seed_of(spec["seed"]);
  options.run.compute = compute_of(1, std::nullopt);
  options.command = py::cast<std::string>(spec["command"]);
  return options;
}

py::tuple unit_at(const py::dict& spec, const py::object& index) {
  const UnitList units = unit_list(spec);
  const Unit unit = units.at(whole(index, "unit", 0, units.size() - 1));
  return py::make_tuple(unit.environment, unit.episode, unit.first_frame, unit.frames);
}

/// The scene of a dataset, whose units a process renders one after the other.
struct SceneRenderer {
  explicit SceneRenderer(DatasetSetup of) : setup(std::move(of)), renderer(setup) {}

  DatasetSetup setup;
  DatasetRenderer renderer;
};

/// What all units are made of is in the digest of the first.
std::string digest_of_units(SceneRenderer& scene, const py::dict& spec) {
  const DatasetOptions options = dataset_options(spec);
  std::string digest;
  released([&] { digest = scene.renderer.unit_digest(options.run, dataset_units(*scene.setup, options).at(0)); });
  return digest;
}

py::dict render_one(SceneRenderer& scene, const py::dict& spec, const py::object& index,
                    const std::filesystem::path& out, int threads, const std::optional<std::string>& isa,
                    const std::optional<std::string>& device, const py::object& on_frame) {
  DatasetOptions options = dataset_options(spec);
  options.units = {whole(index, "unit", 0, kMaxUnits)};
  options.resume = true;
  options.run.out = out;
  options.run.compute = compute_of(threads, isa);
  if (device) options.run.device = device_named(*device);
  if (!on_frame.is_none()) {
    options.run.on_progress = [&on_frame](const RunOptions::Progress& progress) {
      const py::gil_scoped_acquire acquire;
      on_frame(progress.frames_done);
    };
  }
  SignalWatch watch;
  watch.begin();
  options.run.should_stop = [&watch] { return watch.should_stop(); };
  DatasetResult result;
  released([&] { result = scene.renderer.render(options); });
  py::dict d;
  d["unit"] = options.units->front(), d["rendered"] = result.rendered == 1;
  d["files"] = result.files, d["bytes"] = result.bytes, d["rays"] = result.progress.rays_done;
  return d;
}

py::tuple range_tuple(const NumberRange& range) { return py::make_tuple(range.first, range.end); }

py::dict info_dict(const DatasetInfo& info) {
  py::dict d;
  d["fathom"] = info.version, d["scene"] = info.scene, d["command"] = info.command, d["seed"] = info.seed;
  d["environments"] = range_tuple(info.units.environments()), d["episodes"] = range_tuple(info.units.episodes());
  d["frames"] = info.units.frames(), d["block"] = info.units.block(), d["units"] = info.units.size();
  d["complete"] = info.complete, d["made_of_something_else"] = info.others, d["unfinished"] = info.unfinished;
  d["foreign"] = info.foreign;
  d["first_missing"] = info.first_missing, d["files"] = info.files, d["bytes"] = info.bytes;
  return d;
}

py::dict dataset_info(const std::filesystem::path& out) {
  DatasetInfo info;
  released([&] { info = read_dataset_info(out); });
  return info_dict(info);
}

py::dict verified(const std::filesystem::path& out, int threads, bool remove_faulty) {
  SignalWatch watch;
  watch.begin();
  VerifyResult result;
  released([&] {
    result = verify_dataset(
        out,
        {.threads = threads, .should_stop = [&watch] { return watch.should_stop(); }, .remove_faulty = remove_faulty});
  });
  py::dict d;
  d["units"] = result.units, d["files"] = result.files, d["bytes"] = result.bytes;
  d["fault_count"] = result.fault_count, d["removed"] = result.removed, d["left"] = result.left;
  d["faults"] = result.faults;
  return d;
}

}  // namespace

void bind_datasets(py::module_& m) {
  m.def(
      "_dataset_size", [](const py::dict& spec) { return unit_list(spec).size(); }, "spec"_a);
  m.def("_dataset_unit", &unit_at, "spec"_a, "index"_a);
  py::class_<SceneRenderer>(m, "_SceneRenderer").def(py::init<DatasetSetup>(), "setup"_a.none(false));
  m.def("_dataset_digest", &digest_of_units, "scene"_a, "spec"_a);
  m.def("_render_unit", &render_one, "scene"_a, "spec"_a, "index"_a, "out"_a, "threads"_a, "isa"_a, "device"_a,
        "on_frame"_a);
  m.def(
      "_unit_folder", [](std::uint64_t index) { return Unit{index}.folder(); }, "index"_a);
  m.def("_dataset_info", &dataset_info, "out"_a);
  m.def("_verify_dataset", &verified, "out"_a, "threads"_a, "remove_faulty"_a);
}

}  // namespace fathom::python
