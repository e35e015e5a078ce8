// SPDX-License-Identifier: MIT
#include "sensor/noise/known_answers.hpp"

#include <cstdarg>
#include <cstdio>

#include <fathom/core/random.hpp>
#include <fathom/noise/noise.hpp>

#include "sensor/noise/blocks.hpp"

namespace fathom::test {

const char* const kKnownAnswersHeader =
    "# Known answers of the generator and of every noise model, replayed bit for bit by "
    "tests/sensor/noise/known_answers_test.cpp\n"
    "# with each compiler and instruction set. Written by tests/sensor/noise/make_known_answers.cpp.\n"
    "#\n"
    "# Origin: the first three philox lines are the \"philox4x32 10\" vectors of Random123 1.14 (D. E. Shaw Research,\n"
    "# tests/kat_vectors). All other numbers were written by the first release of fathom, except disparities at "
    "or\n"
    "# below 0, which that release did not lose; tests/sensor/noise/oracle_test.cpp and "
    "tests/core/math/random_test.cpp check "
    "them\n"
    "# against the formulas in double precision.\n"
    "#\n"
    "# philox c0 c1 c2 c3 k0 k1 -> w0 w1 w2 w3        normals word word -> n n        uniform word -> u\n"
    "# <model> <lane> -> ray: ox oy oz dx dy dz | return: x y z range radius reason\n"
    "# <window> <pixel> -> disparity, taken, reason of the image of make_disparities()\n"
    "# Models: parameters as in make_models(), key seed 0x0123456789abcdef, frame 4, stream 77, lanes of "
    "make_lanes(32),\n# lane 5 without a return, maximum range 120.\n";

namespace {

constexpr NoiseKey kKey = {0x0123456789abcdefU, 4, 77};

[[gnu::format(printf, 1, 2)]] std::string text(const char* format, ...) {
  char buffer[512];
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(buffer, sizeof buffer, format, arguments);
  va_end(arguments);
  return buffer;
}

void add_generator(std::vector<std::string>& lines) {
  const std::uint32_t inputs[][6] = {
      {0, 0, 0, 0, 0, 0},
      {~0U, ~0U, ~0U, ~0U, ~0U, ~0U},
      {0x243f6a88U, 0x85a308d3U, 0x13198a2eU, 0x03707344U, 0xa4093822U, 0x299f31d0U},
      {1, 0, 0, 0, 0, 0},
      {0, 4, 77, 0, 0x89abcdefU, 0x01234567U},
  };
  for (const auto& i : inputs) {
    const PhiloxBlock b = philox4x32({{i[0], i[1], i[2], i[3]}}, i[4], i[5]);
    lines.push_back(text("philox %08x %08x %08x %08x %08x %08x -> %08x %08x %08x %08x", i[0], i[1], i[2], i[3], i[4],
                         i[5], b.word[0], b.word[1], b.word[2], b.word[3]));
  }
  std::vector<std::uint32_t> words = {0, 1, 2, 0x7fffffffU, 0x80000000U, 0xfffffffeU, 0xffffffffU};
  for (std::uint32_t quad = 0; quad < 10; ++quad) {
    for (const std::uint32_t word : keyed_block(kKey, quad, 0).word) words.push_back(word);
  }
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::uint32_t a = words[i], b = words[(7 * i + 3) % words.size()];
    const NormalPair n = normals_from_words(a, b);
    lines.push_back(text("normals %08x %08x -> %a %a", a, b, double{n.first}, double{n.second}));
    lines.push_back(text("uniform %08x -> %a", a, double{uniform_from_word(a)}));
  }
}

struct NamedNoise {
  std::string name;
  Noise noise;
};

/// Each model with parameters away from its defaults; the angular ones about each axis.
std::vector<NamedNoise> make_models() {
  return {
      {"angular_ray_x", AngularRay{Axis::kX, 0.125F, 0.3F}},
      {"angular_ray_y", AngularRay{Axis::kY, -0.5F, 0.01F}},
      {"angular_ray_z", AngularRay{Axis::kZ, 0.0F, 1.5F}},
      {"angular_hit_x", AngularHit{Axis::kX, 0.125F, 0.3F}},
      {"angular_hit_y", AngularHit{Axis::kY, -0.5F, 0.01F}},
      {"angular_hit_z", AngularHit{Axis::kZ, 0.0F, 1.5F}},
      {"distance", DistanceNoise{0.03F, 0.02F, 0.001F}},
      {"uniform", UniformNoise{-0.05F, 0.125F}},
      {"dropout", Dropout{0.4F}},
      {"loss_angle", LossAngle{0.9F}},
      {"stereo_shadow", StereoShadow{}},
      {"stereo_energy_document", StereoEnergy{0.2F, 1.5F, EnergyNormalization::kDocument, EnergyAngle::kCosine}},
      {"stereo_energy_threshold", StereoEnergy{0.1F, 3.0F, EnergyNormalization::kThreshold, EnergyAngle::kHalfVector}},
      {"edge_loss", EdgeLoss{0.5F, 2.5F, 0.1F, 0.9F, 0.02F, EdgeLaw::kAngle}},
      {"disparity", Disparity{0.25F, 0.05F, 8.0F}},
      {"invalid_band", InvalidBand{true, 126.0F}},
      {"gain_bias", GainBias{0.001F, 0.02F}},
      {"student", StudentNoise{0.02F, 0.01F, 3.0F}},
      {"beam_mixture_book", BeamMixture{0.5F, 0.2F, 0.1F, 0.2F, 0.25F, 0.5F, 0.125F, MissPolicy::kBook}},
      {"beam_mixture_atom", BeamMixture{0.6F, 0.1F, 0.1F, 0.2F, 40.0F, 0.0F, 0.0F, MissPolicy::kAtom}},
      {"edge_loss_plane", EdgeLoss{0.5F, 2.5F, 0.1F, 0.9F, 0.02F, EdgeLaw::kPlane}},
      {"texture_loss", TextureLoss{0.01F, 0.9F, 8.0F, 5.0F, 20.0F, 0.02F, 0.02F}},
      {"subpixel_ripple", SubpixelRipple{0.125F, 0.25F}},
      {"fog", Fog{.visibility_m = 60.0F}},
      {"rain", Rain{.rate_mm_per_h = 30.0F}},
      {"snow", Snow{.rate_mm_per_h = 3.0F}},
      {"power_noise", PowerNoise{.stddev_m = 0.02F}},
      {"amplitude", AmplitudeNoise{0.01F, 0.02F, 0.03F}},
  };
}

/// A step, a slope and holes, px: of whole numbers and uniforms alone.
std::vector<float> make_disparities(std::uint32_t rows, std::uint32_t cols) {
  std::vector<float> d;
  for (std::uint32_t i = 0; i < rows * cols; ++i) {
    const auto row = static_cast<float>(i / cols), col = static_cast<float>(i % cols);
    const float unit = uniform_from_word(keyed_block(kKey, i, 0).word[0]);
    const bool near = i % cols > 5 && i / cols > 2, hole = unit < 0.1F;
    d.push_back(hole ? 0.0F : near ? 30.0F + 0.25F * col : 12.0F - 0.125F * row + 0.5F * unit);
  }
  return d;
}

/// One line for each pixel: "<name> <pixel> -> disparity taken reason".
void add_windows(std::vector<std::string>& lines) {
  constexpr std::uint32_t kRows = 8, kCols = 12;
  const std::vector<float> d = make_disparities(kRows, kCols);
  const std::pair<const char*, MatchingWindow> windows[] = {
      {"matching_window", {.radius_px = 2, .share = 0.3F, .sure_share = 0.4F, .max_step_px = 1.5F}},
      {"matching_window_flying", {.radius_px = 3, .sure_share = 0.5F, .flying = true}}};
  for (const auto& [name, window] : windows) {
    for (std::uint32_t i = 0; i < kRows * kCols; ++i) {
      if (!(d[i] > 0.0F)) continue;
      const WindowPixel p = match_window(window.window(), {d.data(), kRows, kCols}, i / kCols, i % kCols);
      lines.push_back(
          text("%s %u -> %a %u %u", name, i, double{p.disparity_px}, p.taken, static_cast<std::uint32_t>(p.reason)));
    }
  }
}

}  // namespace

std::vector<std::string> compute_known_answers(Isa isa) {
  std::vector<std::string> lines;
  add_generator(lines);
  for (const NamedNoise& model : make_models()) {
    Lanes lanes = make_lanes(32);
    lanes.reasons[5] = static_cast<std::uint32_t>(Reason::kMiss);
    apply(model.noise, isa, kKey, lanes);
    for (std::size_t i = 0; i < lanes.size(); ++i) {
      const Ray& a = lanes.rays[i];
      const Return& b = lanes.returns[i];
      lines.push_back(text("%s %zu -> %a %a %a %a %a %a | %a %a %a %a %a %u", model.name.c_str(), i, double{a.ox},
                           double{a.oy}, double{a.oz}, double{a.dx}, double{a.dy}, double{a.dz}, double{b.x},
                           double{b.y}, double{b.z}, double{b.range_m}, double{b.radius_m}, lanes.reasons[i]));
    }
  }
  add_windows(lines);
  return lines;
}

}  // namespace fathom::test
