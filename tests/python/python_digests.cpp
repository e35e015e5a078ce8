// SPDX-License-Identifier: MIT
// What test_same_bits.py compares Python with: the digests of all channels of a scene's sensors, by a program of C++.

#include <cstdio>

#include <fathom/fathom.hpp>
#include <fathom/frame/digest.hpp>

using namespace fathom;

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const SceneSetup setup = read_scene_file(argv[1]);
  Simulator simulator = make_simulator(setup);
  ChannelSet all;
  for (std::size_t i = 0; i < kChannelCount; ++i) all.insert(static_cast<Channel>(i));
  Frame frame(all);
  for (std::uint32_t s = 0; s < setup.sensors.size(); ++s) {
    FrameDigest digest;
    for (std::uint32_t k = 0; k < setup.frames; ++k) {
      simulator.render(SensorId{s}, k, frame);
      digest.add(frame);
    }
    std::printf("%s %s\n", setup.sensors[s].sensor.name.c_str(), digest.text().c_str());
  }
}
