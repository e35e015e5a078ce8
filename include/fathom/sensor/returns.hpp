// SPDX-License-Identifier: MIT
#pragma once
// Returns of a ray: their intensity, the weakest that a sensor detects, and several returns of a ray that widens.
//
//   intensity = reflectivity * law(incidence) * falloff(range)
//
// Reflectivity and law belong to the surface: to its material (scene/scene.hpp), or else reflectivity * cos. The
// falloff belongs to the sensor. `none`: 1, for a sensor that corrects its intensity for range, as most lidars of
// robots do. `inverse_square`: (reference / range)^2 beyond the reference and 1 before it: the raw power of a surface
// larger than the cone (Hoefle, Pfeifer: Correction of laser scanning intensity data, ISPRS Journal 62, 2007), and a
// receiver whose near end is full. The range is that of the surface struck, without noise. Models of weather
// dim intensities (noise/detail/weather.hpp). Not modelled: surfaces smaller than the cone, unless the ray diverges.
//
// A laser's light is a cone, not a line. At an edge, part of it meets the near surface and the rest goes on, so one ray
// brings back several returns. A ray that diverges is cast as 58 samples: the centre, and three cones of 19 at the
// full, two thirds and one third of the half angle. This is the pattern of Robotec GPU Lidar's raytrace node, except
// that the middle cone is turned by half a step, which shares the energy evenly between the halves of a beam. The
// Simulator turns samples into echoes:
//
//   weight of a sample   its share of the beam's energy. The disc of half angle 1 is cut into rings at 1/6, 1/2, 5/6
//                        and 1, one for the centre and one for each cone, and the samples of a ring share its energy:
//                        uniform, the area; gaussian, exp(-2 r^2), whose edge at 1/e^2 is where the divergence of a
//                        laser is measured (ISO 11146-1). Both sum to 1
//   energy of a sample   weight * intensity of the surface there
//   echoes               hits sorted by range; a gap above separation_m starts the next echo. A receiver separates two
//                        surfaces that are farther apart than half of its pulse, c tau / 2 (Wagner, Ullrich, Ducic,
//                        Melzer, Studnicka: Gaussian decomposition and calibration of a novel small-footprint
//                        full-waveform digitising airborne laser scanner, ISPRS 2006, section 2): 0.75 m for 5 ns
//   range of an echo     mean of its hits' ranges, weighted by energy: the centre of the pulse that comes back, as a
//                        full-waveform simulator fits it (HELIOS++, Winiwarter et al. 2022, section 2.4). If all
//                        energies are 0, the weights count
//   intensity            sum of its energies: a wall across half of the cone has half of the intensity
//   surface of an echo   that of its sample with the most energy
//
// The point of a return lies on the centre of its ray. Echoes outside the limits of range count only if none is inside,
// so that the reason says below_min_range or above_max_range.
//
// A sensor reports its returns in the order of its list. Two names may mean one echo: the strongest may be the last one
// too. CoincidingReturn says what the later of them then reports.
//
// The C interface takes the same samples by Robotec's law: each hit is a return, and the energy of a sample is its
// intensity, without a weight, and no cone is turned. It shares the angles of the cones, the structure of the echoes,
// and the code that chooses among them. Casts differ (the Simulator's works in single precision, the other in double),
// and with them the turn of the samples into the world and the intensities of the surfaces.
//
// A sensor with a Detection loses returns that are too weak (noise/detail/power.hpp), with the reason low_power. Echoes
// that are too weak count only if all are. The power of an echo is that of its energy, without the falloff, at its
// range.
//
// A ray that meets glass, mirrors or water brings back echoes from behind them too (LightPaths; docs/glass.md). There
// the strongest echo is that of the most power, and a ray that is a line has several echoes.
//
// Not modelled: pulses that overlap and shift each other's peaks.

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include <fathom/core/export.hpp>
#include <fathom/core/field.hpp>
#include <fathom/noise/detail/power.hpp>

namespace fathom {

enum class FalloffLaw : std::uint8_t { kNone, kInverseSquare };
template <>
inline constexpr std::array<std::string_view, 2> kChoiceWords<FalloffLaw> = {"none", "inverse_square"};

/// How intensities of a sensor fall with range.
struct Falloff {
  FalloffLaw law = FalloffLaw::kNone;
  float reference_m = 1.0F;  ///< range up to which nothing is lost

  static constexpr std::string_view kSlug = "falloff";
  static constexpr std::string_view kDoc = "How the intensity of a return falls with its range.";
  static constexpr auto fields() {
    return std::array<Field<Falloff>, 2>{{
        {"law", "none|inverse_square", choice<&Falloff::law>, 0, 0, "how the intensity falls with range"},
        {"reference_m", "m", &Falloff::reference_m, 0.01, 1e4, "range up to which it does not fall"},
    }};
  }
};

/// The range up to which a sensor detects a dark or a bright surface, as datasheets state it; at most one is above 0.
struct Detection {
  float reach_10_m = 0.0F;  ///< for a surface of reflectivity 0.1; 0: not given
  float reach_80_m = 0.0F;  ///< for a surface of reflectivity 0.8; 0: not given

  static constexpr std::string_view kSlug = "detection";
  static constexpr std::string_view kDoc = "The weakest return that a sensor detects.";
  static constexpr auto fields() {
    return std::array<Field<Detection>, 2>{{
        {"reach_10_m", "m", &Detection::reach_10_m, 0, 1e5, "range up to which it detects a reflectivity of 10 %"},
        {"reach_80_m", "m", &Detection::reach_80_m, 0, 1e5, "range up to which it detects a reflectivity of 80 %"},
    }};
  }
  FATHOM_API void check() const;

  /// The power of the weakest return that it detects; 0: it detects all.
  [[nodiscard]] constexpr float least_power() const {
    if (reach_10_m > 0.0F) return least_power_of(0.1F, reach_10_m);
    return reach_80_m > 0.0F ? least_power_of(0.8F, reach_80_m) : 0.0F;
  }
};

/// How far a sensor follows light through glass, mirrors and water (SurfaceOptics).
struct LightPaths {
  std::uint32_t bounces = 2;
  bool camera_ghosts = false;

  static constexpr std::string_view kSlug = "light_paths";
  static constexpr std::string_view kDoc = "How far light is followed through glass and mirrors.";
  static constexpr double kMostBounces = 4;
  static constexpr auto fields() {
    return std::array<Field<LightPaths>, 2>{{
        {"bounces", "1", &LightPaths::bounces, 0, kMostBounces, "surfaces that light may pass or be mirrored by"},
        {"camera_ghosts", "1", &LightPaths::camera_ghosts, 0, 1, "whether a stereo camera measures what mirrors show"},
    }};
  }

  friend bool operator==(const LightPaths&, const LightPaths&) = default;
};

/// Which of the surfaces that a diverging ray meets.
enum class ReturnChoice : std::uint8_t { kFirst, kSecond, kLast, kStrongest, kSecondStrongest };
template <>
inline constexpr std::array<std::string_view, 5> kChoiceWords<ReturnChoice> = {"first", "second", "last", "strongest",
                                                                               "second_strongest"};
inline constexpr std::size_t kMostReturns = kChoiceWords<ReturnChoice>.size();

/// The report of a return whose echo an earlier return of the list already has, or whose name fits no echo: a ray that
/// met one surface has no second return.
enum class CoincidingReturn : std::uint8_t {
  kNext,          ///< the strongest echo that is left, or lost with the reason no_further_return
  kNextOrRepeat,  ///< the strongest echo that is left, else its own again; if its name fits no echo, the first. So a
                  ///< VLP-16 fills its packets in dual mode (User Manual 63-9243, section 9.3), and so do Hesai's
  kRepeat,        ///< its own echo again; if its name fits no echo, the first
  kBlank          ///< lost with the reason no_further_return
};
template <>
inline constexpr std::array<std::string_view, 4> kChoiceWords<CoincidingReturn> = {"next", "next_or_repeat", "repeat",
                                                                                   "blank"};

/// The samples that stand for a diverging ray: the centre, and three cones of 19.
inline constexpr std::uint32_t kDivergingSamples = 58;

/// How the energy of a ray is spread over its cone.
enum class BeamProfile : std::uint8_t { kGaussian, kUniform };
template <>
inline constexpr std::array<std::string_view, 2> kChoiceWords<BeamProfile> = {"gaussian", "uniform"};

/// How far rays widen: full angles of the cone, across (along the sensor's x-y plane) and up. Both 0: rays are lines.
struct Divergence {
  float horizontal_rad = 0.0F;
  float vertical_rad = 0.0F;
  BeamProfile profile = BeamProfile::kGaussian;
  float separation_m = 0.75F;  ///< surfaces nearer to each other than this are one return

  static constexpr std::string_view kSlug = "divergence";
  static constexpr std::string_view kDoc = "Rays that widen to a cone.";
  static constexpr double kMostRad = 0.2;
  static constexpr auto fields() {
    return std::array<Field<Divergence>, 4>{{
        {"horizontal_rad", "rad", &Divergence::horizontal_rad, 0, kMostRad, "full angle of the cone, across"},
        {"vertical_rad", "rad", &Divergence::vertical_rad, 0, kMostRad, "full angle of the cone, up"},
        {"profile", "gaussian|uniform", choice<&Divergence::profile>, 0, 0, "how the energy is spread over the cone"},
        {"separation_m", "m", &Divergence::separation_m, 0, 100,
         "surfaces nearer to each other than this are one return"},
    }};
  }

  [[nodiscard]] constexpr bool diverges() const { return horizontal_rad > 0.0F || vertical_rad > 0.0F; }
};

/// The returns that a sensor reports of each ray: at least one, none twice. A ray that does not diverge has one return,
/// which is first, last and strongest.
using ReturnChoices = std::vector<ReturnChoice>;

}  // namespace fathom
