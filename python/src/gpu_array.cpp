// SPDX-License-Identifier: MIT
#include <cstdint>
#include <utility>

#include "frame.hpp"

namespace fathom::python {

namespace {

using namespace py::literals;

// The layout by which frameworks exchange tensors (DLPack 0.8, dmlc.github.io/dlpack): names as there.

struct DLDevice {
  std::int32_t device_type;
  std::int32_t device_id;
};
constexpr std::int32_t kDLCUDA = 2;

struct DLDataType {
  std::uint8_t code;
  std::uint8_t bits;
  std::uint16_t lanes;
};
constexpr std::uint8_t kDLInt = 0, kDLUInt = 1, kDLFloat = 2;

struct DLTensor {
  void* data;
  DLDevice device;
  std::int32_t ndim;
  DLDataType dtype;
  std::int64_t* shape;
  std::int64_t* strides;  // in elements
  std::uint64_t byte_offset;
};

struct DLManagedTensor {
  DLTensor dl_tensor;
  void* manager_ctx;
  void (*deleter)(DLManagedTensor* self);
};

/// What a tensor that was handed over keeps until its deleter is called.
struct Handed {
  DLManagedTensor tensor;
  std::shared_ptr<Frame> frame;
  std::vector<std::int64_t> shape, strides;
};

constexpr const char* kCapsule = "dltensor";  // a consumer renames it, and calls the deleter itself

void drop_capsule(PyObject* capsule) {
  if (PyCapsule_IsValid(capsule, kCapsule) == 0) return;
  auto* tensor = static_cast<DLManagedTensor*>(PyCapsule_GetPointer(capsule, kCapsule));
  tensor->deleter(tensor);
}

DLDataType dlpack_type(const py::dtype& type) {
  const std::uint8_t code = type.kind() == 'f' ? kDLFloat : type.kind() == 'u' ? kDLUInt : kDLInt;
  return {code, static_cast<std::uint8_t>(8 * type.itemsize()), 1};
}

/// Throws BufferError where a consumer wants other memory than this.
void check_wanted(const GpuArray& array, const py::kwargs& wanted) {
  const auto given = [&](const char* name) -> py::object {
    return wanted.contains(name) ? py::object(wanted[name]) : py::none();
  };
  if (given("copy").is(py::bool_(true))) {
    throw py::buffer_error("copy=True: a frame in the memory of a GPU is handed over without a copy");
  }
  const py::object device = given("dl_device"), own = py::make_tuple(kDLCUDA, array.number());
  if (!device.is_none() && !device.equal(own)) {
    throw py::buffer_error("dl_device = " + py::cast<std::string>(py::str(device)) + ": the memory is that of " +
                           py::cast<std::string>(py::str(own)));
  }
}

}  // namespace

GpuArray::GpuArray(std::shared_ptr<Frame> frame, Channel channel, py::dtype type, std::vector<py::ssize_t> sizes,
                   std::vector<py::ssize_t> strides, int number)
    : frame_(std::move(frame)),
      data_(const_cast<void*>(frame_->data(channel))),
      type_(std::move(type)),
      sizes_(std::move(sizes)),
      strides_(std::move(strides)),
      number_(number) {}

py::dict GpuArray::cuda_array_interface() const {
  return py::dict("shape"_a = py::tuple(py::cast(sizes_)), "typestr"_a = type_.attr("str"),
                  "data"_a = py::make_tuple(reinterpret_cast<std::uintptr_t>(data_), false),
                  "strides"_a = py::tuple(py::cast(strides_)), "version"_a = 3);
}

py::capsule GpuArray::dlpack() const {
  auto handed = std::make_unique<Handed>();
  handed->frame = frame_;
  for (std::size_t axis = 0; axis < sizes_.size(); ++axis) {
    handed->shape.push_back(sizes_[axis]), handed->strides.push_back(strides_[axis] / type_.itemsize());
  }
  handed->tensor = {{data_,
                     {kDLCUDA, number_},
                     static_cast<std::int32_t>(sizes_.size()),
                     dlpack_type(type_),
                     handed->shape.data(),
                     handed->strides.data(),
                     0},
                    handed.get(),
                    [](DLManagedTensor* self) { delete static_cast<Handed*>(self->manager_ctx); }};
  py::capsule capsule(&handed->tensor, kCapsule, &drop_capsule);
  static_cast<void>(handed.release());  // drop_capsule, or a consumer, deletes it
  return capsule;
}

void bind_gpu_array(py::module_& m) {
  py::class_<GpuArray>(m, "GpuArray",
                       "A channel of a frame in the memory of a GPU: torch.from_dlpack(frame.depth) and\n"
                       "cupy.asarray(frame.depth) take it without a copy. It keeps the frame's memory alive. render()\n"
                       "returns when all is there, so that no stream has to wait.")
      .def_property_readonly(
          "shape", [](const GpuArray& a) { return py::tuple(py::cast(a.sizes())); }, "As the channel has it.")
      .def_property_readonly("dtype", &GpuArray::type, "The type of an element, of NumPy.")
      .def_property_readonly(
          "device", [](const GpuArray& a) { return "cuda:" + std::to_string(a.number()); }, "Whose memory it is.")
      .def_property_readonly("__cuda_array_interface__", &GpuArray::cuda_array_interface)
      .def(
          "__dlpack__",
          [](const GpuArray& a, const py::kwargs& wanted) {
            check_wanted(a, wanted);
            return a.dlpack();
          },
          "A capsule of DLPack over this very memory: BufferError for copy=True, and for the dl_device of another.\n"
          "stream and max_version do not matter: render() has waited.")
      .def("__dlpack_device__", [](const GpuArray& a) { return py::make_tuple(kDLCUDA, a.number()); });
}

}  // namespace fathom::python
