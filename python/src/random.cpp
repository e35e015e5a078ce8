// SPDX-License-Identifier: MIT
// The keyed draws of noise models, for noise models in NumPy.
#include <fathom/core/random.hpp>

#include <array>

#include <fathom/core/error.hpp>
#include <fathom/simulate/environments.hpp>

#include "arguments.hpp"

namespace fathom::python {

namespace {

using namespace py::literals;

struct DrawShape {
  std::uint32_t rows, cols;
};

DrawShape shape_of(const py::object& shape) {
  if (!py::isinstance<py::sequence>(shape) || py::len(shape) != 2) {
    throw InputError("shape: " + py::cast<std::string>(py::repr(shape)) + " given, (rows, cols) wanted");
  }
  const auto pair = py::reinterpret_borrow<py::sequence>(shape);
  return {whole32(pair[0], "shape"), whole32(pair[1], "shape")};
}

NoiseKey key_of(const py::object& seed, const std::string& sensor, const py::object& slot, const std::string& slug,
                const py::object& frame) {
  return {seed_of(seed), whole32(frame, "frame"), make_stream(sensor, whole32(slot, "slot"), slug)};
}

/// Calls fill(four numbers, block) for each quad: four neighbouring rays of a row share a block, one word each.
template <class T, class Fill>
py::array_t<T> by_quads(const NoiseKey& key, const DrawShape& shape, std::uint32_t draw, Fill fill) {
  py::array_t<T> made({static_cast<py::ssize_t>(shape.rows), static_cast<py::ssize_t>(shape.cols)});
  T* out = made.mutable_data();
  const std::uint32_t quads = (shape.cols + 3) / 4;
  for (std::uint32_t row = 0; row < shape.rows; ++row) {
    for (std::uint32_t quad = 0; quad < quads; ++quad) {
      std::array<T, 4> numbers;
      fill(numbers, keyed_block(key, row * quads + quad, draw));
      for (std::uint32_t k = 0; k < 4 && 4 * quad + k < shape.cols; ++k) *out++ = numbers[k];
    }
  }
  return made;
}

void bind_draws(py::module_& m) {
  m.def(
      "random_normal",
      [](const py::object& seed, const std::string& sensor, const py::object& slot, const std::string& slug,
         const py::object& frame, const py::object& shape, const py::object& draw) {
        return by_quads<float>(key_of(seed, sensor, slot, slug, frame), shape_of(shape), whole32(draw, "draw"),
                               [](std::array<float, 4>& n, const PhiloxBlock& block) {
                                 const NormalPair a = normals_from_words(block.word[0], block.word[1]);
                                 const NormalPair b = normals_from_words(block.word[2], block.word[3]);
                                 n = {a.first, a.second, b.first, b.second};
                               });
      },
      "seed"_a, "sensor"_a, "slot"_a, "slug"_a, "frame"_a, "shape"_a, "draw"_a = 0,
      "Standard normals, float32 [rows, cols]: draw number `draw` in frame `frame` of a C++ model called `slug` at\n"
      "position `slot` of the noise of a sensor called `sensor`.");
  m.def(
      "random_uniform",
      [](const py::object& seed, const std::string& sensor, const py::object& slot, const std::string& slug,
         const py::object& frame, const py::object& shape, const py::object& draw) {
        return by_quads<float>(key_of(seed, sensor, slot, slug, frame), shape_of(shape), whole32(draw, "draw"),
                               [](std::array<float, 4>& n, const PhiloxBlock& block) {
                                 for (std::size_t k = 0; k < 4; ++k) n[k] = uniform_from_word(block.word[k]);
                               });
      },
      "seed"_a, "sensor"_a, "slot"_a, "slug"_a, "frame"_a, "shape"_a, "draw"_a = 0,
      "Uniform numbers in [0, 1), float32 [rows, cols]; see normal(). A model's uniforms are numbered after its "
      "normals.");
  m.def(
      "random_words",
      [](const py::object& seed, const std::string& sensor, const py::object& slot, const std::string& slug,
         const py::object& frame, const py::object& shape, const py::object& draw) {
        return by_quads<std::uint32_t>(key_of(seed, sensor, slot, slug, frame), shape_of(shape), whole32(draw, "draw"),
                                       [](std::array<std::uint32_t, 4>& n, const PhiloxBlock& block) {
                                         for (std::size_t k = 0; k < 4; ++k) n[k] = block.word[k];
                                       });
      },
      "seed"_a, "sensor"_a, "slot"_a, "slug"_a, "frame"_a, "shape"_a, "draw"_a = 0,
      "The words of 32 bits that the draws are made of, uint32 [rows, cols].");
}

}  // namespace

void bind_random(py::module_& m) {
  bind_draws(m);
  m.def(
      "random_stream",
      [](const std::string& sensor, const py::object& slot, const std::string& slug) {
        return make_stream(sensor, whole32(slot, "slot"), slug);
      },
      "sensor"_a, "slot"_a, "slug"_a, "The number that names the draws of a model.");
  m.def(
      "philox",
      [](const py::object& counter, const py::object& key) {
        const Integers c = integers(counter, "counter", {{4}, "(4,)"}, 0, 0xffffffff);
        const std::int64_t* p = c.data();
        const auto word = [&](int i) { return static_cast<std::uint32_t>(p[i]); };
        const std::uint64_t k = whole(key, "key", 0, ~std::uint64_t{0});
        const PhiloxBlock block = philox4x32({{word(0), word(1), word(2), word(3)}}, static_cast<std::uint32_t>(k),
                                             static_cast<std::uint32_t>(k >> 32U));
        return py::array_t<std::uint32_t>(4, block.word);
      },
      "counter"_a, "key"_a, "Philox4x32-10: counter [4], key of 64 bits; uint32 [4].");
  m.def(
      "episode_seed",
      [](const py::object& seed, const py::object& environment, const py::object& episode) {
        return episode_seed(seed_of(seed), whole32(environment, "environment"), whole32(episode, "episode"));
      },
      "seed"_a, "environment"_a, "episode"_a,
      "The key of everything drawn in an episode. Environment 0 in episode 0 has the run's own.");
}

}  // namespace fathom::python
