// SPDX-License-Identifier: MIT
#pragma once
// Meshes, entities and sensors are numbered in the order in which they were added. Each id has a separate type, so that
// ids cannot be confused. index(id) is the number, as Frame::entity_id holds it.

#include <cstdint>

namespace fathom {

enum class MeshId : std::uint32_t {};
enum class EntityId : std::uint32_t {};
enum class SensorId : std::uint32_t {};

constexpr std::uint32_t index(MeshId id) { return static_cast<std::uint32_t>(id); }
constexpr std::uint32_t index(EntityId id) { return static_cast<std::uint32_t>(id); }
constexpr std::uint32_t index(SensorId id) { return static_cast<std::uint32_t>(id); }

inline constexpr MeshId kNoMesh{0xffffffffU};
inline constexpr EntityId kNoEntity{0xffffffffU};
inline constexpr std::uint32_t kNoTriangle = 0xffffffffU;

}  // namespace fathom
