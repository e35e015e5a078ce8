// SPDX-License-Identifier: MIT
#pragma once
// The numbers of noise chains, by name: "sensors.lidar.noise.0.stddev_m" is a parameter of the first model of the
// sensor `lidar`, "sensors.lidar.noise.0.entities.glass.stddev_m" that of its returns from `glass`, and
// "sensors.lidar.noise.0.rings.7.stddev_m" that of ring 7. A model with correlated draws also has
// "sensors.lidar.noise.0.correlation.across_px".

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include <fathom/scene/scene.hpp>
#include <fathom/simulate/sensor.hpp>

#include "live/messages.hpp"

namespace fathom {

class Knobs {
 public:
  Knobs() = default;

  /// Adds the numbers of a sensor. `scene`: for the names of entities.
  void add(const Sensor& sensor, const Scene& scene);

  /// All of them, with the present values.
  [[nodiscard]] std::vector<Parameter> parameters() const;
  /// The content of /fathom/knobs, without numbers of rings, which are often hundreds.
  [[nodiscard]] nlohmann::ordered_json json() const;

  /// The sensor of a knob, in the order of add(). Throws InputError for an unknown name.
  [[nodiscard]] std::size_t sensor_of(std::string_view name) const;
  /// The chain of that sensor with one value changed; keep() makes it the present one. Throws InputError for an unknown
  /// name, and for a value that the parameter does not take.
  [[nodiscard]] NoiseChain with(const Parameter& parameter) const;
  void keep(std::size_t sensor, NoiseChain chain) { chains_.at(sensor) = std::move(chain); }
  [[nodiscard]] const NoiseChain& chain(std::size_t sensor) const { return chains_.at(sensor); }

 private:
  enum class Of : std::uint8_t { kAll, kEntity, kRing, kCorrelation };
  struct Knob {
    std::string name, sensor_name, part;  ///< part: "on glass", "of ring 7"; empty: all returns
    std::size_t sensor, entry, field;
    Of of = Of::kAll;
    std::size_t position = 0;  ///< among the entries by entity or ring
  };

  void add(Knob knob, std::string name);
  void add_noise(const Noise& noise, const Knob& usual, const std::string& prefix);
  [[nodiscard]] const FieldInfo& field_of(const Knob& knob) const;
  [[nodiscard]] FieldValue value_at(const Knob& knob) const;
  [[nodiscard]] static Noise& noise_of(NoiseChain& chain, const Knob& knob);
  [[nodiscard]] const Noise& noise_of(const Knob& knob) const;
  [[nodiscard]] const Knob& find(std::string_view name) const;

  std::vector<NoiseChain> chains_;  // [sensors]
  std::vector<Knob> knobs_;
  std::map<std::string, std::size_t, std::less<>> by_name_;  // positions in knobs_
};

}  // namespace fathom
