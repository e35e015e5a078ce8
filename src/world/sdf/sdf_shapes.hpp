// SPDX-License-Identifier: MIT
#pragma once

#include <optional>

#include <sdf/Geometry.hh>

#include "world/link_shapes.hpp"

namespace fathom {

/// The shape of a geometry; nothing of an empty one.
std::optional<LinkShape> sdf_shape(const sdf::Geometry& geometry, RobotGeometry kind, LinkShapes& shapes);

}  // namespace fathom
