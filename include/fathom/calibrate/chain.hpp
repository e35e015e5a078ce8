// SPDX-License-Identifier: MIT
#pragma once
// The noise of a sensor learned as one: all free parameters of its chain at once, by maximum likelihood, from measured
// frames whose clean ranges are known (fathom/calibrate/chain_frames.hpp makes them of a scene).
//
// A return that came back has the density of all range models of the chain together (noise/range_law.hpp) and the
// probability that no model of loss took it; a lost one the probability that one of them did. Returns count as
// independent for the values; their errors take frames, or blocks of frames, as what is independent (the sandwich of
// Huber and White, clustered), and are never below those of independent returns.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fathom/base/export.hpp>
#include <fathom/noise/chain.hpp>

namespace fathom {

/// What frames measured, and what the scene says of the same rays before any noise. Arrays [returns].
struct ChainReturns {
  std::vector<float> range_m;        ///< measured; NaN: lost
  std::vector<float> clean_range_m;  ///< above 0
  std::vector<float> clean_x_m;      ///< of the clean hit point in the sensor frame; of a camera its depth
  std::vector<float> clean_y_m;      ///< of the same point: what column it is in
  std::vector<float> incidence_rad;  ///< in [0, pi / 2]
  std::vector<float> energy;         ///< Channel::kEnergy, without what scales it
  std::vector<std::uint32_t> frame;  ///< ascending
  Optics optics = {};                ///< of the sensor's camera, if it is one
  double half_step_m = 0.0;          ///< ranges are rounded to multiples of twice as much; 0: they are not
  bool depths_are_rounded = false;   ///< not ranges but distances to the image plane are so rounded

  [[nodiscard]] std::size_t size() const { return range_m.size(); }
};

/// A parameter to learn: of the model at this place in the chain.
struct ChainParameter {
  std::size_t entry = 0;
  std::string field;
};

/// The parameters of a chain that a pattern names: "distance.stddev_m", "distance.*", "*" or "0.*" (place in the
/// chain), each * for any text. "*" passes over what cannot be learned. Throws InputError when the pattern names none,
/// or one that cannot be learned, saying why.
FATHOM_API std::vector<ChainParameter> chain_parameters(const NoiseChain& chain, std::string_view pattern);

struct ChainFitOptions {
  std::uint32_t hold_out = 5;          ///< every so many frames one judges and teaches nothing; 0: none
  std::uint32_t block_frames = 1;      ///< frames that count as one for the errors
  std::size_t most_returns = 200'000;  ///< used to learn: more are thinned out at random; at least 1000
  int threads = 0;                     ///< at work at once; 0: one per core; they change no bit of the result
};

/// Throws InputError for a number outside its limits.
FATHOM_API void validate(const ChainFitOptions& options);

struct LearnedParameter {
  std::string name;  ///< "distance.stddev_m"; of a model that is there twice "2.distance.stddev_m", by its place
  std::string unit;
  double start = 0.0, value = 0.0;
  double std_error = 0.0;    ///< NaN: none, at a limit
  double naive_error = 0.0;  ///< if returns were independent
  bool is_unidentified =
      false;  ///< the error exceeds the value, or there is no error because another one does the same
  bool is_at_limit = false;
};

struct ChainFit {
  NoiseChain chain;  ///< as given, with the learned values
  std::vector<LearnedParameter> parameters;
  std::vector<double> correlations;   ///< of their errors, [parameters, parameters]; NaN where there is none
  std::size_t returns = 0, lost = 0;  ///< used to learn; lost ones among them
  std::size_t frames = 0, clusters = 0;
  double start_log_likelihood = 0.0, log_likelihood = 0.0;  ///< of what was used to learn
  std::size_t judged = 0;                                   ///< returns held out
  double held_out_nats = 0.0;                               ///< mean log density of a return held out; NaN: none
  double start_nats = 0.0;                                  ///< the same of the chain as given
  double gain_nats = 0.0, gain_error = 0.0;                 ///< difference of the two, and its error by frames
  int steps = 0;
  std::vector<std::string> flags;  ///< one line each
};

/// Learns the parameters `free` of a chain. Throws InputError when arrays disagree, nothing is free, fewer than 100
/// returns are there to learn from, or the chain has a model without density (it says which).
FATHOM_API ChainFit fit_chain(const NoiseChain& chain, std::span<const ChainParameter> free,
                              const ChainReturns& returns, const ChainFitOptions& options = {});

/// Mean log density of each frame's returns under a chain, nats, and how many they are; in the order of the frames.
struct FrameScore {
  std::uint32_t frame = 0;
  std::size_t returns = 0, lost = 0;
  double nats = 0.0;  ///< per return
};
FATHOM_API std::vector<FrameScore> score_frames(const NoiseChain& chain, const ChainReturns& returns, int threads = 0);

/// The chain as the list that scene files hold under `noise:`, angles in degrees as they take them; each line of
/// `indent` spaces.
FATHOM_API std::string chain_yaml(const NoiseChain& chain, std::size_t indent = 2);

}  // namespace fathom
