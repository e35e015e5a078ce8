// SPDX-License-Identifier: MIT
#pragma once
// The lidar of versions 0.6 to 0.10, as a graph of nodes:
//   rays -> ring ids -> range -> pose -> ray noise -> raytrace -> hit noise -> distance noise -> hits only -> fields
//                                                                                             +-> post transform

#include <memory>
#include <vector>

#include <rgl/api/old.h>

#include "nodes/points.hpp"
#include "nodes/rays.hpp"

namespace rgl {

class OldLidar {
 public:
  explicit OldLidar(const std::vector<fathom::Matrix34>& rays);

  void set_range(float range_m);
  void set_pose(const fathom::Affine& world_from_lidar);
  void set_rings(std::vector<std::int32_t> rings);
  void set_post_transform(const fathom::Affine& transform);
  /// Sets an angular noise about -Y, of the rays if `ray_based`, else of the hit points, and switches the other off.
  void set_noise(bool ray_based, float mean_rad, float stddev_rad, const fathom::Noise& distance);

  /// Visits the nodes in the order of the graph.
  template <class Use>
  void for_each(Use use) const {
    for (Node* node : nodes_) use(*node);
  }
  [[nodiscard]] Node& end() const { return *post_; }
  [[nodiscard]] bool has_run() const { return post_->run_of != nullptr; }
  /// Points of the last, finished run; 0 before the first.
  [[nodiscard]] std::size_t count() const { return has_run() ? fields_->count() : 0; }
  void write(rgl_format_t format, std::byte* out) const;

 private:
  template <class Kind>
  std::shared_ptr<Kind> add();
  void write_packed(std::size_t step, std::byte* out) const;

  std::vector<std::shared_ptr<Node>> owned_;
  std::vector<Node*> nodes_;
  std::shared_ptr<RaysFromMatrices> rays_;
  std::shared_ptr<RaysRingIds> rings_;
  std::shared_ptr<RaysRange> range_;
  std::shared_ptr<RaysTransform> pose_;
  std::shared_ptr<RaysAngularNoise> ray_noise_;
  std::shared_ptr<RaytraceNode> trace_;
  std::shared_ptr<HitPointNoise> hit_noise_;
  std::shared_ptr<RangeNoise> range_noise_;
  std::shared_ptr<CompactNode> compact_;
  std::shared_ptr<YieldNode> fields_;
  std::shared_ptr<TransformNode> post_;
};

}  // namespace rgl
