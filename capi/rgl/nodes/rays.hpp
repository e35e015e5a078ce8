// SPDX-License-Identifier: MIT
#pragma once
// Nodes that make and change rays. They hold no changed rays: the raytrace node asks for them block by block.

#include <vector>

#include "graph/node.hpp"

namespace rgl {

class RaysFromMatrices final : public RaysNode {
 public:
  void set(std::span<const fathom::Matrix34> beams) { beams_ = fathom::BeamTable(beams); }

  [[nodiscard]] std::string_view name() const override { return "FromMat3x4fRaysNode"; }
  [[nodiscard]] Input input_kind() const override { return Input::kNothing; }
  void validate(const World& world) override;
  void load(fathom::BeamBlock& block) const override { beams_.load(block); }
  [[nodiscard]] std::uint32_t beams() const override { return beams_.size(); }
  [[nodiscard]] fathom::BeamGrid grid() const override { return beams_.grid(); }
  [[nodiscard]] std::span<const std::int32_t> rings() const override { return {}; }
  [[nodiscard]] std::span<const std::array<float, 2>> ranges() const override { return {}; }
  [[nodiscard]] std::span<const float> time_offsets_ms() const override { return {}; }
  [[nodiscard]] const fathom::Affine& world_from_sensor() const override { return identity_; }
  void prepare_beams(const RunContext&) override {}

 private:
  fathom::BeamTable beams_;
  fathom::Affine identity_;
};

class RaysRingIds final : public RaysNode {
 public:
  void set(std::vector<std::int32_t> rings) { rings_ = std::move(rings); }
  [[nodiscard]] std::string_view name() const override { return "SetRingIdsRaysNode"; }
  void validate(const World& world) override;
  [[nodiscard]] std::span<const std::int32_t> rings() const override { return rings_; }

 private:
  std::vector<std::int32_t> rings_;  ///< repeated over all rays
};

class RaysRange final : public RaysNode {
 public:
  void set(std::vector<std::array<float, 2>> ranges) { ranges_ = std::move(ranges); }
  [[nodiscard]] std::string_view name() const override { return "SetRangeRaysNode"; }
  void validate(const World& world) override;
  [[nodiscard]] std::span<const std::array<float, 2>> ranges() const override { return ranges_; }

 private:
  std::vector<std::array<float, 2>> ranges_;  ///< one, or one per ray
};

class RaysTimeOffsets final : public RaysNode {
 public:
  void set(std::vector<float> offsets_ms) { offsets_ms_ = std::move(offsets_ms); }
  [[nodiscard]] std::string_view name() const override { return "SetTimeOffsetsRaysNode"; }
  void validate(const World& world) override;
  [[nodiscard]] std::span<const float> time_offsets_ms() const override { return offsets_ms_; }

 private:
  std::vector<float> offsets_ms_;
};

/// Moves the sensor: beams stay what they are in its frame.
class RaysTransform final : public RaysNode {
 public:
  void set(const fathom::Affine& transform) { transform_ = transform; }
  [[nodiscard]] std::string_view name() const override { return "TransformRaysNode"; }
  [[nodiscard]] const fathom::Affine& world_from_sensor() const override { return cumulative_; }
  void prepare(World& world) override;

 private:
  fathom::Affine transform_, cumulative_;
};

/// Turns every ray about an axis of the sensor.
class RaysAngularNoise final : public RaysNode {
 public:
  void set(const fathom::Noise& noise) { noise_ = noise; }
  [[nodiscard]] std::string_view name() const override { return "GaussianNoiseAngularRaysNode"; }
  void prepare_beams(const RunContext& context) override;
  void load(fathom::BeamBlock& block) const override;

 private:
  fathom::Noise noise_ = fathom::AngularRay{};
  fathom::NoiseKey key_;
  fathom::Isa isa_ = fathom::Isa::kSse2;
};

}  // namespace rgl
