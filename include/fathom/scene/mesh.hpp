// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <fathom/core/export.hpp>
#include <fathom/core/geometry.hpp>

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
/// Centred ellipsoid with these half axes: a stretched sphere of `segments` meridians. Inscribed: for an even number at
/// most the longest half axis * sin(pi / segments)^2 too deep.
FATHOM_API Mesh make_ellipsoid(const Vec3& radii_m, std::uint32_t segments = kUsualSegments);

/// Terrain: heights over a centred rectangle of the x-y plane. The first and last column lie on its edges x = -size_x_m
/// / 2 and size_x_m / 2, the first and last row on y = -size_y_m / 2 and size_y_m / 2. A height field of MuJoCo has the
/// same order; its hfield_size (x, y, elevation, base) means size_x_m = 2 x, size_y_m = 2 y, heights_m = elevation *
/// hfield_data and base_m = base.
struct HeightField {
  std::uint32_t rows = 0, cols = 0;       ///< each at least 2
  std::vector<float> heights_m;           ///< [rows, cols], in [-kMostPrimitiveM, kMostPrimitiveM]
  double size_x_m = 1.0, size_y_m = 1.0;  ///< in (0, kMostPrimitiveM]
  double base_m = 0.0;                    ///< in [0, kMostPrimitiveM]: how far the body reaches below z = 0; 0: no body
  std::vector<std::string> notes = {};    ///< contents of its file that fathom does not read, a line each
};

/// Most triangles of a height field: a square one has up to 2890 heights a side.
inline constexpr std::size_t kMaxHeightFieldTriangles = std::size_t{1} << 24U;

/// Two triangles between any four neighbours, split from (row, col) to (row + 1, col + 1), facing +z. With a base also
/// four walls and a bottom at z = -base_m, so that the mesh is closed; all heights must then lie above the bottom.
/// Throws InputError naming the member, and for a height its row and column.
FATHOM_API Mesh make_height_field(const HeightField& field);

/// Linear blend skinning: up to four bones that move a vertex. Weights are not normalised.
struct BoneWeights {
  std::array<float, 4> weight;
  std::array<std::int32_t, 4> bone;
};

/// vertex := sum of weight * world_from_bone * bone_from_rest * vertex. `bone_from_rest` are inverse bind matrices, as
/// many as `world_from_bone`. Throws InputError when arrays disagree in size, or a bone with a weight does not exist.
FATHOM_API std::vector<std::array<float, 3>> skin_vertices(std::span<const std::array<float, 3>> rest_m,
                                                           std::span<const BoneWeights> weights,
                                                           std::span<const Affine> bone_from_rest,
                                                           std::span<const Affine> world_from_bone);

}  // namespace fathom
