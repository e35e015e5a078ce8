// SPDX-License-Identifier: MIT
// Maps: map_server YAML and the images it names. The result is a valid map or an InputError of one line. The first byte
// of the input says whether the rest is the YAML (beside a good image) or the image (beside a good YAML).

#include <cstdint>

#include <fathom/scene/grid_map.hpp>

#include "in_memory.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using fathom::fuzz::write_input;
  if (size == 0) return 0;
  const std::string_view rest(reinterpret_cast<const char*>(data) + 1, size - 1);
  const bool is_yaml = data[0] % 2 == 0;
  constexpr std::string_view kImage("P5 3 2 255\n\x00\x80\xff\x00\x80\xff", 17);
  constexpr std::string_view kYaml =
      "image: map.pgm\nresolution: 0.1\norigin: [1, -2, 0.5]\nnegate: 0\noccupied_thresh: 0.65\nfree_thresh: 0.196\n";
  write_input("map.pgm", is_yaml ? kImage : rest);
  const auto yaml = write_input("map.yaml", is_yaml ? rest : kYaml);
  fathom::fuzz::expect_answer([&] { fathom::validate(fathom::read_grid_map(yaml)); });
  return 0;
}
