// SPDX-License-Identifier: MIT
// A frame written to files. Every file appears whole or not at all.
#include <fathom/core/error.hpp>
#include <fathom/files/clouds.hpp>
#include <fathom/files/pictures.hpp>

#include "arguments.hpp"
#include "frame.hpp"

namespace fathom::python {

namespace {

using namespace py::literals;
using Path = std::filesystem::path;

CloudOptions cloud_options(const std::string& frame, bool keep_misses, const py::object& fields) {
  CloudOptions options;
  options.frame = word_of<CloudFrame>(frame, "frame");
  options.keep_misses = keep_misses;
  if (!fields.is_none()) options.fields = py::len(fields) == 0 ? ChannelSet{} : channels_of(fields);
  return options;
}

LostPolicy policy_of(FrameHandle& handle, const std::string& lost, std::optional<double> max_m) {
  return {word_of<LostValue>(lost, "lost"), static_cast<float>(max_m.value_or(handle.farthest_m()))};
}

Channel channel_of(const std::string& name) {
  return static_cast<Channel>(position_of(name, kChannelNames, "channel"));
}

std::vector<std::int32_t> shifts_of(const py::object& shifts) {
  std::vector<std::int32_t> made;
  if (shifts.is_none()) return made;
  for (const std::int64_t s : span_of(integers(shifts, "shifts", {{-1}, "(rows,)"}, -0x7fffffff, 0x7fffffff))) {
    made.push_back(static_cast<std::int32_t>(s));
  }
  return made;
}

using FrameClass = py::class_<FrameHandle, std::shared_ptr<FrameHandle>>;

void bind_clouds(FrameClass& frame) {
  frame
      .def(
          "write_pcd",
          [](FrameHandle& h, const Path& file, const std::string& in, bool keep, const py::object& fields) {
            write_pcd(file, h.frame(), cloud_options(in, keep, fields));
          },
          "file"_a, py::kw_only(), "frame"_a = "sensor", "keep_misses"_a = false, "fields"_a = py::none(),
          "Writes a PCD cloud. frame: 'sensor' or 'world'; keep_misses: lost returns stay as NaN points; fields: "
          "names\n"
          "of channels beside x, y, z (intensity, ring, time_offset where the frame has them).")
      .def(
          "write_ply",
          [](FrameHandle& h, const Path& file, const std::string& in, bool keep, const py::object& fields) {
            write_ply(file, h.frame(), cloud_options(in, keep, fields));
          },
          "file"_a, py::kw_only(), "frame"_a = "sensor", "keep_misses"_a = false, "fields"_a = py::none(),
          "Writes a PLY cloud; see write_pcd().")
      .def(
          "write_pointcloud2",
          [](FrameHandle& h, const Path& file, const std::string& id, const std::string& in, bool keep,
             const py::object& fields, const std::string& layout) {
            CloudOptions options = cloud_options(in, keep, fields);
            options.layout = word_of<CloudOptions::Layout>(layout, "layout");
            write_pointcloud2(file, h.frame(), id, options);
          },
          "file"_a, "frame_id"_a, py::kw_only(), "frame"_a = "sensor", "keep_misses"_a = false, "fields"_a = py::none(),
          "layout"_a = "fields",
          "Writes the bytes of a sensor_msgs/msg/PointCloud2 (CDR); see write_pcd(). layout: 'fields', or as drivers "
          "lay\n"
          "points out: 'xyz', 'xyzi', 'velodyne', 'ouster', 'livox'.")
      .def(
          "write_npy",
          [](FrameHandle& h, const Path& file, const std::string& channel, const std::optional<std::string>& lost,
             std::optional<double> max_m) {
            std::optional<LostPolicy> policy;
            if (lost) policy = policy_of(h, *lost, max_m);
            write_npy(file, h.frame(), channel_of(channel), policy);
          },
          "file"_a, "channel"_a, py::kw_only(), "lost"_a = py::none(), "max_m"_a = py::none(),
          "Writes a channel as NumPy reads it. lost: the value of lost pixels, 'zero', 'nan', 'inf', 'max' or\n"
          "'minus_one'.");
}

void bind_pictures(FrameClass& frame) {
  frame
      .def(
          "write_depth_png",
          [](FrameHandle& h, const Path& file, const std::string& channel, const std::string& lost,
             std::optional<double> max_m, double per_m, const std::string& off_scale) {
            static constexpr std::array<std::string_view, 2> kOffScale = {"refuse", "lost"};
            write_depth_png(file, h.frame(), channel_of(channel), policy_of(h, lost, max_m), per_m,
                            static_cast<OffScale>(position_of(off_scale, kOffScale, "off_scale")));
          },
          "file"_a, "channel"_a = "depth", py::kw_only(), "lost"_a = "zero", "max_m"_a = py::none(), "per_m"_a = 1000.0,
          "off_scale"_a = "refuse",
          "Writes a 16-bit PNG of a range or depth, per_m levels per metre. off_scale: a value that has no level is\n"
          "refused ('refuse') or counts as lost ('lost').")
      .def(
          "write_range_image",
          [](FrameHandle& h, const Path& file, const std::string& color, double scale_m, const py::object& shifts,
             bool legend, const std::vector<std::string>& names, const std::string& theme) {
            write_range_image(file, h.frame(), word_of<ColorBy>(color, "color"), scale_m, shifts_of(shifts),
                              {legend, names, word_of<Theme>(theme, "theme")});
          },
          "file"_a, py::kw_only(), "color"_a = "range", "scale_m"_a = 0.0, "shifts"_a = py::none(), "legend"_a = true,
          "entity_names"_a = py::make_tuple(), "theme"_a = "dark",
          "Writes a picture, a pixel per ray. color: 'range', 'entity' or 'reason'; scale_m: the range of the last\n"
          "colour, 0: a round one; shifts: columns by which rows move to the right, see destagger_shifts; theme: "
          "'dark',\n"
          "or 'light' for print, of all pictures.")
      .def(
          "write_angle_image",
          [](FrameHandle& h, const Path& file, const std::string& color, double scale_m, bool legend,
             const std::vector<std::string>& names, const std::string& theme) {
            write_angle_image(file, h.frame(), word_of<ColorBy>(color, "color"), scale_m,
                              {legend, names, word_of<Theme>(theme, "theme")});
          },
          "file"_a, py::kw_only(), "color"_a = "range", "scale_m"_a = 0.0, "legend"_a = true,
          "entity_names"_a = py::make_tuple(), "theme"_a = "dark",
          "Writes the rays as dots where they point; also needs the channels azimuth and elevation.")
      .def(
          "write_birds_eye",
          [](FrameHandle& h, const Path& file, const std::string& color, double max_range_m, std::uint32_t pixels,
             const std::optional<Pose>& world_from_sensor, bool legend, const std::vector<std::string>& names,
             const std::string& theme) {
            write_birds_eye_view(file, h.frame(), word_of<ColorBy>(color, "color"), max_range_m, pixels,
                                 world_from_sensor, {legend, names, word_of<Theme>(theme, "theme")});
          },
          "file"_a, py::kw_only(), "color"_a = "range", "max_range_m"_a = 0.0, "pixels"_a = 1024,
          "world_from_sensor"_a = py::none(), "legend"_a = true, "entity_names"_a = py::make_tuple(),
          "theme"_a = "dark", "Writes the world points from above; needs the channel hit_world.")
      .def(
          "write_reason_picture",
          [](FrameHandle& h, const Path& file, bool legend, const std::string& theme) {
            write_reason_picture(file, h.frame(), legend, word_of<Theme>(theme, "theme"));
          },
          "file"_a, py::kw_only(), "legend"_a = true, "theme"_a = "dark", "Writes the reasons in colours.")
      .def(
          "write_label_picture",
          [](FrameHandle& h, const Path& file, const std::vector<Label>& labels, bool legend,
             const std::string& theme) {
            write_label_picture(file, h.frame(), labels, legend, word_of<Theme>(theme, "theme"));
          },
          "file"_a, "labels"_a, py::kw_only(), "legend"_a = true, "theme"_a = "dark",
          "Writes the labels of what the rays struck in the colours of labels (Scene.labels); needs the channels "
          "label\n"
          "and entity_id.")
      .def(
          "write_label_ids", [](FrameHandle& h, const Path& file) { write_label_ids(file, h.frame()); }, "file"_a,
          "Writes a 16-bit PNG of the ids of labels; needs the channel label.")
      .def(
          "write_camera_sheet",
          [](FrameHandle& h, const Path& file, double scale_m, const std::string& theme) {
            write_camera_sheet(file, h.frame(), scale_m, word_of<Theme>(theme, "theme"));
          },
          "file"_a, py::kw_only(), "scale_m"_a = 0.0, "theme"_a = "dark",
          "Writes clean depth, noisy depth, reasons and energy; needs these four channels.");
}

}  // namespace

void bind_frame_files(py::module_& m) {
  FrameClass frame(m.attr("Frame"));
  bind_clouds(frame);
  bind_pictures(frame);
}

}  // namespace fathom::python
