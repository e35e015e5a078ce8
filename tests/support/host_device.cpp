// SPDX-License-Identifier: MIT
#include "support/host_device.hpp"

#include <atomic>
#include <vector>

#include "render/device/gather.hpp"
#include "render/device/render_ray.hpp"
#include "render/frame_parts.hpp"
#include "trace/tree/build.hpp"
#include "trace/tree/instances.hpp"
#include "trace/tree/refit.hpp"
#include "trace/tree/sorted_tree.hpp"

namespace fathom::test {
namespace {

std::atomic<std::uint64_t> frames{0};

/// Trees as on a device: trees of meshes, which follow their vertices, and one over the world.
class HostWorlds {
 public:
  void place(const tree::Meshes& meshes, tree::World& world) {
    for (std::size_t i = 0; i < meshes.size(); ++i) hold(meshes, static_cast<MeshId>(i));
    instances_.assign(world.instances, world.instances + world.instance_count);
    for (tree::Instance& instance : instances_) {
      if (instance.nodes == nullptr) continue;
      const tree::MeshTree& tree = trees_[instance.mesh].tree;
      instance.nodes = tree.nodes.data(), instance.leaves = tree.leaves.data();
    }
    world.instances = instances_.data();
    world.nodes = build(world);
  }

 private:
  struct Held {
    tree::MeshTree tree;
    std::uint32_t version;
  };

  void hold(const tree::Meshes& meshes, MeshId mesh) {
    const std::uint32_t version = meshes.version(mesh);
    const bool added = index(mesh) == trees_.size();
    if (added) trees_.push_back({meshes.tree(mesh), version});
    Held& held = trees_[index(mesh)];
    if (added ? !meshes.is_late(mesh) : held.version == version) return;
    if (!meshes.is_late(mesh)) {  // the processor has refitted it already
      held = {meshes.tree(mesh), version};
      return;
    }
    const tree::RefitOrder order = tree::refit_order(held.tree);
    const Mesh& from = meshes.source(mesh);
    const tree::Refit refit = {tree::vertices_of(from.vertices_m), tree::triangles_of(from.triangles),
                               order.nodes.data(), held.tree.nodes.data(), held.tree.leaves.data()};
    std::uint32_t begin = 0;
    for (const std::uint32_t end : order.ends) {
      for (std::uint32_t task = end * tree::kWidth; task-- > begin * tree::kWidth;) tree::refit_task(refit, task);
      begin = end;
    }
    held.version = version;
  }

  const tree::Node* build(const tree::World& world) {
    const std::uint32_t count = world.instance_count;
    for (auto& keys : keys_) keys.resize(count);
    nodes_.resize(tree::sorted_nodes(count));
    const tree::SortedTree sorted = {
        world.boxes, world.bounds, count, {keys_[0].data(), keys_[1].data()}, nodes_.data()};
    for (std::uint32_t i = count; i-- > 0;) tree::sort_in_run(sorted, i);
    for (std::uint32_t pass = 0; pass < tree::merge_passes(count); ++pass) {
      for (std::uint32_t i = count; i-- > 0;) tree::merge_key(sorted, pass, i);
    }
    for (std::uint32_t level = 0; level <= tree::sorted_root_level(count); ++level) {
      for (std::uint32_t k = tree::sorted_nodes_of(count, level); k-- > 0;) tree::build_sorted_node(sorted, level, k);
    }
    return nodes_.data();
  }

  std::vector<Held> trees_;  // [meshes]
  std::vector<tree::Instance> instances_;
  std::vector<std::uint64_t> keys_[2];
  std::vector<tree::Node> nodes_;
};

class HostDevice final : public FrameDevice {
 public:
  void render(std::span<const RenderJob> jobs, Frame& frame) override {
    for (const RenderJob& job : jobs) {
      const std::uint32_t rays = job.plan.rows * job.plan.cols;
      job.edge->fit(job.chain, job.plan.rows, job.plan.cols);
      store_pattern(job, frame);
      device::HostKeeper keeper;
      gatherer_.begin();
      device::FrameData data = gatherer_.gather(job, keeper);
      worlds_.place(*job.caster.meshes(), data.world);
      data.rays = device::rays_of(job.plan, device::whole(job.plan), keeper);
      data.image = device::image_of(job.pattern, device::whole(job.plan), keeper);
      data.out = device::channels_of(job.first, frame);
      EdgeScratch& edge = *job.edge;
      data.edges = {edge.range_m.data(), edge.reached.data(), edge.entity.empty() ? nullptr : edge.entity.data(),
                    edge.edge_nx.data(), edge.edge_ny.data(), edge.edge_nz.data()};
      area_.resize(edge.region.size());
      data.windowed = windowed_of(edge);
      make_fields(job, keeper, data);
      // Backwards, because threads of a device come in no order.
      for (std::uint32_t lane = job.plan.lanes(); lane-- > 0;) {
        device::render_ray(data, lane), device::render_beam(data, lane);
      }
      for (std::uint32_t pixel = 0; pixel < rays && data.chain.edge_loss.count > 0; ++pixel) {
        device::lose_edge(data, pixel);
      }
      for (std::uint32_t pixel = rays; pixel-- > 0;) device::match_pixel(data, pixel);
      for (std::uint32_t pixel = rays; pixel-- > 0;) device::join_pixel(data, pixel);
      for (std::uint32_t pixel = rays; pixel-- > 0;) device::count_pixel(data, pixel);
      for (std::uint32_t pixel = rays; pixel-- > 0;) device::lose_speckle(data, pixel);
      for (std::uint32_t lane = job.plan.lanes(); lane-- > 0;) device::finish_ray(data, lane);
    }
    ++frames;
  }

 private:
  void make_fields(const RenderJob& job, device::Keeper& keeper, device::FrameData& data) {
    if (job.chain.correlated.empty()) return;
    const device::Window window = device::whole(job.plan);
    memory_.resize(device::field_floats(job, window));
    fields_.clear();
    device::add_fields(job, window, memory_.data(), keeper, fields_, data);
    for (const device::FieldJob& field : fields_) {
      for (std::uint32_t i = field.white_threads(); i-- > 0;) device::draw_white(field, i);
      for (std::uint32_t i = field.half_threads(); i-- > 0;) device::sum_field_across(field, i);
      for (std::uint32_t i = field.threads(); i-- > 0;) device::sum_field_down(field, i);
    }
  }

  device::Windowed windowed_of(EdgeScratch& edge) {
    return {
        edge.reason.data(), edge.range_m.data(),  edge.disparity_px.data(), edge.matched_px.data(), edge.taken.data(),
        edge.entity.data(), edge.triangle.data(), edge.region.data(),       area_.data(),           edge.nx.data(),
        edge.ny.data(),     edge.nz.data(),       edge.dx.data(),           edge.dy.data(),         edge.dz.data()};
  }

  device::Gatherer gatherer_;
  std::vector<device::FieldJob> fields_;
  std::vector<float> memory_;
  std::vector<std::uint32_t> area_;
  HostWorlds worlds_;
};

}  // namespace

std::unique_ptr<FrameDevice> make_host_device() { return std::make_unique<HostDevice>(); }
std::uint64_t host_device_frames() { return frames; }

}  // namespace fathom::test
