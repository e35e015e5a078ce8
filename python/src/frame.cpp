// SPDX-License-Identifier: MIT
#include "frame.hpp"

#include <algorithm>

#include <fathom/core/error.hpp>
#include <fathom/fit/calibrate.hpp>
#include <fathom/frame/digest.hpp>
#include <fathom/frame/frame.hpp>
#include <fathom/sensor/returns.hpp>
#include <fathom/simulate/simulator.hpp>

#include "arguments.hpp"

namespace fathom::python {

namespace {

using namespace py::literals;

constexpr std::initializer_list<Channel> kUsualChannels = {Channel::kRange, Channel::kHitSensor, Channel::kReason};

/// The type that Python shows. Ids are int32 (-1: none) and rings int16, because other frameworks lack unsigned types.
py::dtype dtype_of(ElementType type) {
  switch (type) {
    case ElementType::kUint8:
      return py::dtype::of<std::uint8_t>();
    case ElementType::kUint16:
      return py::dtype::of<std::int16_t>();
    case ElementType::kUint32:
      return py::dtype::of<std::int32_t>();
    case ElementType::kFloat32:
      break;
  }
  return py::dtype::of<float>();
}

}  // namespace

void FrameHandle::prepare(const FrameLayout& layout, ChannelSet channels, double farthest_m) {
  farthest_m_ = farthest_m;
  if (layout == layout_ && channels == frame_->channels()) return;
  if (is_over_) {
    throw InputError("out: this Frame is over arrays of another shape, or other channels, than those wanted");
  }
  if (layout_.rows != 0 || !(channels == frame_->channels())) frame_ = std::make_shared<Frame>(channels);
  arrays_ = {};
  layout_ = layout;
}

std::shared_ptr<FrameHandle> FrameHandle::copy() const {
  if (is_over_) throw InputError("this Frame is over arrays of yours: copy these");
  auto made = std::make_shared<FrameHandle>(std::make_shared<Frame>(*frame_));
  made->layout_ = layout_, made->farthest_m_ = farthest_m_;
  return made;
}

std::shared_ptr<FrameHandle> FrameHandle::of_return(std::uint32_t k) const {
  auto made = std::make_shared<FrameHandle>(std::make_shared<Frame>(frame_->of_return(k)));
  made->layout_ = layout_, made->layout_.returns = 1, made->farthest_m_ = farthest_m_;
  return made;
}

std::vector<py::ssize_t> FrameHandle::shape() const {
  std::vector<py::ssize_t> shape;
  if (layout_.returns > 1) shape.push_back(layout_.returns);
  if (layout_.environments > 0) shape.push_back(layout_.environments);
  shape.push_back(layout_.rows), shape.push_back(layout_.cols);
  return shape;
}

py::object FrameHandle::array(Channel channel) {
  py::object& made = arrays_[static_cast<std::size_t>(channel)];
  if (made) return made;
  if (frame_->size() == 0) throw InputError("nothing was rendered into this frame yet");
  const ChannelInfo& info = channel_info(channel);
  std::vector<py::ssize_t> sizes = shape();
  const auto element = static_cast<py::ssize_t>(size_of(info.type));
  std::vector<py::ssize_t> strides(sizes.size());
  py::ssize_t stride = element;
  for (std::size_t axis = sizes.size(); axis-- > 0;) strides[axis] = stride, stride *= sizes[axis];
  if (info.planes == 3) sizes.push_back(3), strides.push_back(element * static_cast<py::ssize_t>(frame_->size()));
  if (frame_->memory() == Frame::Memory::kGpu) {
    made = py::cast(GpuArray(frame_, channel, dtype_of(info.type), sizes, strides, gpu_));
    return made;
  }
  void* data = const_cast<void*>(frame_->data(channel));  // frames are not const, only their readers are
  const py::capsule owner(new std::shared_ptr<Frame>(frame_),
                          [](void* p) { delete static_cast<std::shared_ptr<Frame>*>(p); });
  made = py::array(dtype_of(info.type), sizes, strides, data, owner);
  return made;
}

std::shared_ptr<FrameHandle> FramePool::take(const FrameLayout& layout, ChannelSet channels, double farthest_m) {
  const auto is_free = [&](const Entry& e) {
    return e.frame.use_count() == 1 && e.layout == layout && e.frame->channels() == channels;
  };
  auto found = std::find_if(entries_.begin(), entries_.end(), is_free);
  if (found == entries_.end()) {
    if (entries_.size() >= kMost) entries_.erase(entries_.begin());
    found = entries_.insert(entries_.end(), {layout, std::make_shared<Frame>(channels)});
  }
  auto handle = std::make_shared<FrameHandle>(found->frame);
  handle->prepare(layout, channels, farthest_m);
  return handle;
}

std::unique_ptr<Use> use_of_frame(py::handle out) {
  if (out.is_none()) return {};
  if (!py::isinstance<FrameHandle>(out)) throw InputError("out: not a Frame");
  return std::make_unique<Use>(py::cast<FrameHandle&>(out).in_use, "this Frame");
}

std::shared_ptr<FrameHandle> frame_for(py::handle out, py::handle channels, const FrameLayout& layout,
                                       double farthest_m, FramePool& pool) {
  if (out.is_none()) {
    const ChannelSet wanted = channels.is_none() ? ChannelSet(kUsualChannels) : channels_of(channels);
    return pool.take(layout, wanted, farthest_m);
  }
  if (!py::isinstance<FrameHandle>(out)) throw InputError("out: not a Frame");
  auto handle = py::cast<std::shared_ptr<FrameHandle>>(out);
  handle->prepare(layout, channels.is_none() ? handle->frame().channels() : channels_of(channels), farthest_m);
  return handle;
}

namespace {

py::object array_by_name(FrameHandle& handle, const std::string& name) {
  return handle.array(static_cast<Channel>(position_of(name, kChannelNames, "channel")));
}

py::tuple channel_names(FrameHandle& handle) {
  py::list names;
  for (std::size_t i = 0; i < kChannelCount; ++i) {
    if (handle.frame().channels().contains(static_cast<Channel>(i))) names.append(kChannelNames[i]);
  }
  return py::tuple(names);
}

std::string channel_doc(const ChannelInfo& info) {
  std::string doc = py::cast<std::string>(py::str(py::object(dtype_of(info.type)))) + " [rows, cols" +
                    (info.planes == 3 ? ", 3" : "") +
                    "], of many environments with these in front, and several returns before all";
  if (!info.unit.empty()) doc += "; " + std::string(info.unit);
  return doc + ". " + std::string(info.doc) + ". A view, without a copy.";
}

/// An array of the caller's: of NumPy, or of a GPU's memory as PyTorch, CuPy and JAX show theirs.
struct GivenArray {
  py::dtype type;
  std::vector<py::ssize_t> sizes, strides;  // in bytes
  void* data;
  bool writeable;

  [[nodiscard]] std::string shape_text() const {
    return py::cast<std::string>(py::str(py::object(py::tuple(py::cast(sizes)))));
  }
};

bool is_of_gpu(py::handle value) {
  return !py::isinstance<py::array>(value) && py::hasattr(value, "__cuda_array_interface__");
}

/// Waits for the stream in which the owner of the array fills it, where the array names a stream.
void wait_for_owner(const py::dict& facts, std::uintptr_t address) {
  if (!facts.contains("stream") || facts["stream"].is_none()) return;
  const auto stream = py::cast<std::uintptr_t>(facts["stream"]);
  const py::gil_scoped_release released;
  wait_for_stream(reinterpret_cast<const void*>(address), stream);  // NOLINT(performance-no-int-to-ptr)
}

GivenArray array_of_gpu(py::handle value) {
  const auto facts = py::cast<py::dict>(value.attr("__cuda_array_interface__"));
  const auto [address, read_only] = py::cast<std::pair<std::uintptr_t, bool>>(facts["data"]);
  wait_for_owner(facts, address);
  GivenArray array = {py::dtype(py::cast<std::string>(facts["typestr"])),
                      py::cast<std::vector<py::ssize_t>>(facts["shape"]),
                      {},
                      reinterpret_cast<void*>(address),  // NOLINT(performance-no-int-to-ptr): as the protocol has it
                      !read_only};
  if (facts.contains("strides") && !facts["strides"].is_none()) {
    array.strides = py::cast<std::vector<py::ssize_t>>(facts["strides"]);
  } else {
    array.strides.resize(array.sizes.size());
    py::ssize_t stride = array.type.itemsize();
    for (std::size_t axis = array.sizes.size(); axis-- > 0;) array.strides[axis] = stride, stride *= array.sizes[axis];
  }
  return array;
}

GivenArray given_array(const std::string& name, py::handle value) {
  if (is_of_gpu(value)) return array_of_gpu(value);
  if (!py::isinstance<py::array>(value)) throw InputError(name + ": not an array of NumPy, nor one of a GPU");
  const auto array = py::reinterpret_borrow<py::array>(value);
  return {array.dtype(),
          {array.shape(), array.shape() + array.ndim()},
          {array.strides(), array.strides() + array.ndim()},
          const_cast<void*>(array.data()),
          array.writeable()};
}

/// An array of the caller's as the memory of a channel. Throws InputError unless its type, shape and strides are those
/// of the frame's own arrays.
Frame::Buffer buffer_of(const std::string& name, py::handle value, std::vector<py::ssize_t>& shape) {
  const ChannelInfo& info = channel_info(static_cast<Channel>(position_of(name, kChannelNames, "channel")));
  const GivenArray array = given_array(name, value);
  const py::dtype wanted = dtype_of(info.type);
  const auto is_float = [](char kind) { return kind == 'f'; };
  const char kind = array.type.kind();
  const bool is_number = is_float(kind) || kind == 'i' || kind == 'u';
  if (!is_number || is_float(kind) != is_float(wanted.kind()) || array.type.itemsize() != wanted.itemsize() ||
      !py::cast<bool>(array.type.attr("isnative"))) {
    throw InputError(name + ": " + py::cast<std::string>(py::str(py::object(array.type))) + " given, " +
                     py::cast<std::string>(py::str(py::object(wanted))) + " wanted");
  }
  std::vector<py::ssize_t> sizes = array.sizes;
  const bool has_points = info.planes == 3;
  const std::size_t axes = sizes.size() - (has_points && !sizes.empty() ? 1 : 0);
  const bool is_whole = (axes >= 2 && axes <= 4) && (!has_points || sizes.back() == 3);
  const std::string all_text = has_points ? "(rows, cols, 3)" : "(rows, cols)";
  if (!is_whole)
    throw InputError(name + ": shape " + array.shape_text() + " given, " + all_text +
                     " wanted, or environments in front, or returns before these");
  if (has_points) sizes.pop_back();
  if (shape.empty()) shape = sizes;
  if (sizes != shape) {
    throw InputError(name + ": shape " + array.shape_text() + " given, that of the other channels wanted, " +
                     py::cast<std::string>(py::str(py::object(py::tuple(py::cast(shape))))));
  }
  py::ssize_t stride = array.type.itemsize();
  bool fits = array.writeable;
  for (std::size_t axis = axes; axis-- > 0;) {
    fits = fits && (array.strides[axis] == stride || sizes[axis] == 1);
    stride *= sizes[axis];
  }
  if (has_points) fits = fits && array.strides.back() == stride;
  if (!fits) {
    throw InputError(name + ": not contiguous, or not writeable; " +
                     (has_points ? "points are three planes: numpy.empty((3, rows, cols), 'float32').transpose(1, 2, 0)"
                                 : "a C-contiguous array is wanted"));
  }
  const auto bytes = static_cast<std::size_t>(stride) * (has_points ? 3 : 1);
  return {info.channel, array.data, bytes};
}

std::shared_ptr<FrameHandle> frame_over(const py::kwargs& arrays) {
  std::vector<py::ssize_t> shape;
  std::vector<Frame::Buffer> buffers;
  std::size_t of_gpu = 0;
  std::uint32_t returns = 1;
  for (const auto& [key, value] : arrays) {
    if (py::cast<std::string>(key) == "returns") {
      returns = static_cast<std::uint32_t>(whole(value, "returns", 1, kMostReturns));
      continue;
    }
    buffers.push_back(buffer_of(py::cast<std::string>(key), value, shape));
    of_gpu += is_of_gpu(value) ? 1 : 0;
  }
  if (buffers.empty()) throw InputError("no channel given, at least one wanted");
  if (of_gpu > 0 && of_gpu < buffers.size()) throw InputError("some arrays are of NumPy and some of a GPU");
  const Frame::Memory memory = of_gpu > 0 ? Frame::Memory::kGpu : Frame::Memory::kHost;
  FrameLayout layout;
  layout.returns = returns;
  if (returns > 1) {
    if (shape.size() < 3 || shape[0] != returns) {
      throw InputError("returns: " + std::to_string(returns) + " given, and the arrays do not begin with that axis");
    }
    shape.erase(shape.begin());
  }
  if (shape.size() > 3) throw InputError("returns: 1 given or meant, and the arrays have four axes");
  layout.environments = shape.size() == 3 ? static_cast<std::uint32_t>(shape[0]) : 0;
  layout.rows = static_cast<std::uint32_t>(shape[shape.size() - 2]),
  layout.cols = static_cast<std::uint32_t>(shape.back());
  const std::uint32_t rows = layout.rows * (layout.environments > 0 ? layout.environments : 1);
  // The arrays live as long as the frame.
  auto kept = std::make_shared<py::object>(arrays);
  const std::shared_ptr<Frame> frame(new Frame(rows, layout.cols, buffers, memory, {}, returns),
                                     [kept](Frame* p) { delete p; });
  auto handle = std::make_shared<FrameHandle>(frame, layout);
  std::size_t i = 0;
  for (const auto& [key, value] : arrays) {
    if (py::cast<std::string>(key) == "returns") continue;
    if (memory == Frame::Memory::kGpu) handle->show(buffers[i].channel, py::reinterpret_borrow<py::object>(value));
    ++i;
  }
  return handle;
}

std::shared_ptr<FrameHandle> frame_on_gpu(const std::vector<std::uint32_t>& shape, py::handle channels,
                                          const std::string& device, std::uint32_t returns) {
  if (shape.size() != 2 && shape.size() != 3) {
    throw InputError("shape: " + std::to_string(shape.size()) +
                     " numbers given, (rows, cols) or (environments, rows, cols) wanted");
  }
  const FrameLayout layout = {shape.size() == 3 ? shape[0] : 0, shape[shape.size() - 2], shape.back(), returns};
  const std::uint64_t rows = std::uint64_t{layout.rows} * (shape.size() == 3 ? shape[0] : 1);
  if (rows > 0xffffffffU) throw InputError("shape: more than 4294967295 rows in all");
  const Device where = device_named(device);
  auto frame = std::make_shared<Frame>(
      make_gpu_frame(where, static_cast<std::uint32_t>(rows), layout.cols, channels_of(channels), returns));
  return std::make_shared<FrameHandle>(std::move(frame), layout, where.number);
}

std::string frame_text(FrameHandle& handle) {
  const FrameLayout& l = handle.layout();
  std::string text = "Frame(";
  if (l.returns > 1) text += std::to_string(l.returns) + " returns of ";
  if (l.environments > 0) text += std::to_string(l.environments) + " environments of ";
  text += std::to_string(l.rows) + " x " + std::to_string(l.cols) + " rays:";
  for (const py::handle name : channel_names(handle)) text += " " + py::cast<std::string>(name);
  return text + ")";
}

using FrameClass = py::class_<FrameHandle, std::shared_ptr<FrameHandle>>;

void bind_channels(FrameClass& frame) {
  for (const ChannelInfo& info : channel_list()) {
    const Channel channel = info.channel;
    frame.def_property_readonly(std::string(info.name()).c_str(),
                                py::cpp_function([channel](FrameHandle& h) { return h.array(channel); }),
                                channel_doc(info).c_str());
  }
  frame.def("__getitem__", &array_by_name, "channel"_a)
      .def("__contains__",
           [](FrameHandle& h, const std::string& name) {
             const auto found = std::find(kChannelNames.begin(), kChannelNames.end(), name);
             return found != kChannelNames.end() &&
                    h.frame().channels().contains(static_cast<Channel>(found - kChannelNames.begin()));
           })
      .def("keys", &channel_names, "The names of its channels, so that dict(frame) and **frame work.")
      .def_property_readonly("channels", &channel_names, "The names of its channels.");
}

void bind_facts(FrameClass& frame) {
  frame
      .def_property_readonly(
          "shape", [](FrameHandle& h) { return py::tuple(py::cast(h.shape())); },
          "(rows, cols), or (environments, rows, cols); with several returns of each ray these in front.")
      .def_property_readonly(
          "returns", [](FrameHandle& h) { return h.layout().returns; }, "How many of each ray.")
      .def_property_readonly("rows", [](FrameHandle& h) { return h.layout().rows; })
      .def_property_readonly("cols", [](FrameHandle& h) { return h.layout().cols; })
      .def_property_readonly(
          "environments",
          [](FrameHandle& h) {
            return h.layout().environments > 0 ? py::object(py::int_(h.layout().environments)) : py::object(py::none());
          },
          "How many environments it holds; None: it is of one world.")
      .def_property_readonly(
          "index", [](FrameHandle& h) { return h.frame().index(); }, "Its number.")
      .def_property_readonly(
          "content_index", [](FrameHandle& h) { return h.frame().content_index(); },
          "The number of the frame that was measured, the key of its noise: another one when the frame is frozen.")
      .def_property_readonly(
          "stamp_s", [](FrameHandle& h) { return h.frame().stamp_s(); }, "When it was measured: its start, s.")
      .def_property_readonly(
          "delivered_s", [](FrameHandle& h) { return h.frame().delivered_s(); },
          "When it arrives, s; NaN: it is dropped.")
      .def_property_readonly(
          "is_dropped", [](FrameHandle& h) { return h.frame().is_dropped(); },
          "Whether it never arrives: a real sensor would not deliver its values.")
      .def_property_readonly(
          "max_range_m", [](FrameHandle& h) { return h.farthest_m(); },
          "The farthest range that its sensor measures, m.")
      .def(
          "copy", [](FrameHandle& h) { return h.copy(); }, "The same frame in memory of its own.")
      .def(
          "of_return",
          [](FrameHandle& h, const py::object& k) {
            return h.of_return(static_cast<std::uint32_t>(whole(k, "k", 0, h.frame().returns() - 1)));
          },
          "k"_a, "A copy of return k of each ray, as a frame with one.")
      .def("_count_reasons",
           [](FrameHandle& h) {
             const auto counts = h.frame().count_reasons();
             return std::vector<std::uint64_t>(counts.begin(), counts.end());
           })
      .def(
          "digest",
          [](FrameHandle& h) {
            FrameDigest digest;
            digest.add(h.frame());
            return digest.text();
          },
          "Sixteen digits: equal frames have equal ones, to the bit (FrameDigest).")
      .def("__repr__", &frame_text);
}

}  // namespace

void bind_frame(py::module_& m) {
  bind_gpu_array(m);
  FrameClass frame(
      m, "Frame",
      "One frame of a sensor: the arrays asked for. They are views of its memory; rendering into it again\n"
      "overwrites them, unless the shape or the channels change: then they stay as they are, and the frame\n"
      "has new ones. Lost returns are NaN, and `reason` says why.");
  frame
      .def(py::init([](const py::object& channels) { return std::make_shared<FrameHandle>(channels_of(channels)); }),
           "channels"_a = py::make_tuple("range", "hit_sensor", "reason"),
           "An empty frame that holds these channels, for render(out=...).")
      .def_static(
          "over", &frame_over,
          "A frame over arrays of the caller's, one for each channel by its name: rendering writes there, without\n"
          "a copy. Arrays are writeable and C-contiguous, [rows, cols] or [environments, rows, cols], of the\n"
          "channel's type; points [rows, cols, 3] are three planes:\n"
          "numpy.empty((3, rows, cols), 'float32').transpose(1, 2, 0). Tensors come by tensor.numpy(). Arrays\n"
          "in the memory of a GPU (__cuda_array_interface__: of PyTorch, CuPy, JAX) are filled there, by what has\n"
          "device='cuda'; a stream that such an array names is waited for here. returns: of each ray; where it is "
          "above 1, arrays have that axis in front.")
      .def_static("on_gpu", &frame_on_gpu, "shape"_a, "channels"_a = py::make_tuple("range", "hit_sensor", "reason"),
                  "device"_a = "cuda", "returns"_a = 1,
                  "A frame of this shape, (rows, cols) or (environments, rows, cols), in the memory of a GPU, for\n"
                  "render(out=...) of what has the same device. Its arrays are GpuArrays, which PyTorch, CuPy and JAX\n"
                  "take without a copy.");
  bind_channels(frame);
  bind_facts(frame);
  py::class_<FrameDigest>(m, "FrameDigest", "Sixteen digits for any number of frames; equal ones mean equal bits.")
      .def(py::init<>())
      .def(
          "add", [](FrameDigest& d, FrameHandle& h) { d.add(h.frame()); }, "frame"_a)
      .def(
          "add", [](FrameDigest& d, const std::string& digest) { d.add(digest); }, "digest"_a,
          "Adds the text of another one.")
      .def_property_readonly("text", &FrameDigest::text, "Hexadecimal.");
}

}  // namespace fathom::python
