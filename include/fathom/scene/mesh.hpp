// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include <fathom/base/export.hpp>
#include <fathom/base/geometry.hpp>

namespace fathom {

/// A triangle mesh in its own frame. A vertex lies at origin_m + vertices_m[i]; the sum is taken in double precision.
struct Mesh {
  std::vector<std::array<float, 3>> vertices_m;         ///< [vertices, xyz], relative to origin_m
  std::vector<std::array<std::uint32_t, 3>> triangles;  ///< [triangles, corner]; indices into vertices_m
  /// In the frame of the mesh, m. Readers set it for a mesh far from its frame's origin, such as one in UTM
  /// coordinates: single precision rounds coordinates of 5000 km by up to 0.25 m. Zero for all other meshes.
  Vec3 origin_m = {};
};

/// Throws InputError when the mesh is empty, has an index out of range, a vertex or an origin that is not finite or
/// beyond kMaxCoordinateM, or no triangle with an area. Single degenerate triangles among good ones are allowed; no ray
/// hits them.
FATHOM_API void validate(const Mesh& mesh);

/// The largest size of a primitive, and limits of the segments of a round one.
inline constexpr double kMostPrimitiveM = 1e6;
inline constexpr std::uint32_t kLeastSegments = 8, kMostSegments = 1024, kUsualSegments = 64;

/// Rectangle in the x-y plane, centred, facing +z. All sizes of primitives are in (0, kMostPrimitiveM], else
/// InputError.
FATHOM_API Mesh make_plane(double size_x_m, double size_y_m);
/// Centred box with outward faces.
FATHOM_API Mesh make_box(const Vec3& size_m);
/// Centred sphere of `segments` meridians (kLeastSegments to kMostSegments) and half as many bands, inscribed: for an
/// even number surfaces lie at most radius * sin(pi / segments)^2 too deep, 0.24 % of the radius for the default.
FATHOM_API Mesh make_sphere(double radius_m, std::uint32_t segments = kUsualSegments);
/// Centred closed cylinder along z, inscribed: its side lies at most radius * (1 - cos(pi / segments)) too deep.
FATHOM_API Mesh make_cylinder(double radius_m, double height_m, std::uint32_t segments = kUsualSegments);
/// Centred closed capsule along z, a cylinder of height `height_m` between two half spheres: height_m + 2 * radius_m
/// long from end to end. Inscribed: at most radius * sin(pi / segments)^2 too deep.
FATHOM_API Mesh make_capsule(double radius_m, double height_m, std::uint32_t segments = kUsualSegments);
/// Centred ellipsoid with these half axes: the sphere of so many segments, stretched. Inscribed: for an even number at
/// most the longest half axis * sin(pi / segments)^2 too deep.
FATHOM_API Mesh make_ellipsoid(const Vec3& radii_m, std::uint32_t segments = kUsualSegments);

}  // namespace fathom
