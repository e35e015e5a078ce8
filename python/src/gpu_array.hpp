// SPDX-License-Identifier: MIT
#pragma once
// A channel in the memory of a GPU as frameworks take it: by DLPack, and by __cuda_array_interface__.

#include <memory>
#include <vector>

#include <pybind11/numpy.h>

#include <fathom/frame/frame.hpp>

#include "calls.hpp"

namespace fathom::python {

class GpuArray {
 public:
  /// Keeps the frame alive. `strides` in bytes; `number` of the GPU.
  GpuArray(std::shared_ptr<Frame> frame, Channel channel, py::dtype type, std::vector<py::ssize_t> sizes,
           std::vector<py::ssize_t> strides, int number);

  [[nodiscard]] const py::dtype& type() const { return type_; }
  [[nodiscard]] const std::vector<py::ssize_t>& sizes() const { return sizes_; }
  [[nodiscard]] int number() const { return number_; }
  [[nodiscard]] py::dict cuda_array_interface() const;
  [[nodiscard]] py::capsule dlpack() const;

 private:
  std::shared_ptr<Frame> frame_;
  void* data_;
  py::dtype type_;
  std::vector<py::ssize_t> sizes_, strides_;
  int number_;
};

void bind_gpu_array(py::module_& m);

}  // namespace fathom::python
