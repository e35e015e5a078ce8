// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <vector>

#include <fathom/parts/radar.hpp>

#include "nodes/select.hpp"

namespace rgl {

struct RadarSettings {
  std::vector<fathom::RadarScope> scopes;
  fathom::RadarWave wave;
  float power_dbm, gain_dbi, noise_mean_db, noise_stddev_db;
};

/// One point per detection, with its cross section and power.
class RadarPostprocessNode final : public SelectNode {
 public:
  void set(RadarSettings settings) { settings_ = std::move(settings); }
  [[nodiscard]] std::string_view name() const override { return "RadarPostprocessPointsNode"; }
  [[nodiscard]] std::vector<rgl_field_t> required() const override;
  void validate(const World& world) override;
  [[nodiscard]] bool has(rgl_field_t field) const override;
  void run(const RunContext& context) override;

 private:
  RadarSettings settings_;
  std::vector<std::uint32_t> kept_;
};

/// One point per object that is followed: its place and the number of its track.
class RadarTrackNode final : public PointsNode {
 public:
  void set(const fathom::RadarTrackSettings& settings) { tracker_.set_settings(settings); }
  void set_classes(std::map<std::int32_t, rgl_radar_object_class_t> classes) { classes_ = std::move(classes); }
  [[nodiscard]] std::string_view name() const override { return "RadarTrackObjectsPointsNode"; }
  [[nodiscard]] std::vector<rgl_field_t> required() const override;
  void prepare(World& world) override;
  void run(const RunContext& context) override;

  [[nodiscard]] bool has(rgl_field_t field) const override {
    return field == RGL_FIELD_XYZ_VEC3_F32 || field == RGL_FIELD_ENTITY_ID_I32;
  }
  [[nodiscard]] std::size_t count() const override { return tracker_.tracks().size(); }
  [[nodiscard]] bool is_dense() const override { return true; }
  [[nodiscard]] std::span<const rgl_return_type_t> returns() const override { return {}; }
  [[nodiscard]] const std::byte* data(rgl_field_t field) const override { return own_.data(field); }

 private:
  fathom::RadarTracker tracker_{{}};
  std::map<std::int32_t, rgl_radar_object_class_t> classes_;  ///< by entity; only ROS messages would tell them
  double now_s_ = 0.0;
  FieldStore own_;
};

}  // namespace rgl
