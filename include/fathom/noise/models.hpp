// SPDX-License-Identifier: MIT
#pragma once
// The registered models. To add one: write its header beside these, include it here and append it to the list.
// Files, help, docs/noise.md and the laws in tests/sensor/noise/ follow from the list.

#include <variant>

#include <fathom/noise/amplitude.hpp>
#include <fathom/noise/angular_hit.hpp>
#include <fathom/noise/angular_ray.hpp>
#include <fathom/noise/beam_mixture.hpp>
#include <fathom/noise/disparity.hpp>
#include <fathom/noise/distance.hpp>
#include <fathom/noise/dropout.hpp>
#include <fathom/noise/edge_loss.hpp>
#include <fathom/noise/fog.hpp>
#include <fathom/noise/gain_bias.hpp>
#include <fathom/noise/invalid_band.hpp>
#include <fathom/noise/loss_angle.hpp>
#include <fathom/noise/matching_window.hpp>
#include <fathom/noise/power_noise.hpp>
#include <fathom/noise/rain.hpp>
#include <fathom/noise/snow.hpp>
#include <fathom/noise/stereo_energy.hpp>
#include <fathom/noise/stereo_shadow.hpp>
#include <fathom/noise/student.hpp>
#include <fathom/noise/subpixel_ripple.hpp>
#include <fathom/noise/texture_loss.hpp>
#include <fathom/noise/uniform.hpp>

namespace fathom {

using RegisteredNoise =
    std::variant<AngularRay, LossAngle, StereoShadow, InvalidBand, StereoEnergy, TextureLoss, EdgeLoss, MatchingWindow,
                 AngularHit, DistanceNoise, UniformNoise, StudentNoise, AmplitudeNoise, SubpixelRipple, Disparity,
                 GainBias, Fog, Rain, Snow, PowerNoise, BeamMixture, Dropout>;

}  // namespace fathom
