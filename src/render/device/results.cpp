// SPDX-License-Identifier: MIT
#include "render/device/results.hpp"

#include <algorithm>
#include <cstring>
#include <span>

namespace fathom::device {

void Readback::add(void* to, CudaAddress from, std::size_t bytes) {
  while (bytes > 0) {
    Half& half = halves_[now_];
    half.memory.fit(kBytes);
    const std::size_t part = std::min(bytes, kBytes - half.used);
    if (part == 0) {
      turn();
      continue;
    }
    stream_.download(half.memory.data() + half.used, from, part);
    half.pieces.push_back({to, half.used, part});
    half.used += part;
    to = static_cast<std::byte*>(to) + part, from += part, bytes -= part;
  }
}

void Readback::finish() {
  turn();
  turn();
}

/// Ends the half that was filled, and empties the other one, which is filled next.
void Readback::turn() {
  Half& full = halves_[now_];
  if (full.used > 0) {
    full.done.record(stream_);
    full.under_way = true;
  }
  now_ = 1 - now_;
  if (halves_[now_].under_way) empty(halves_[now_]);
}

void Readback::empty(Half& half) {
  half.done.wait();
  executor_.parallel_for(half.used, kAtOnce, [&half](std::size_t begin, std::size_t end) { copy(half, begin, end); });
  half.pieces.clear();
  half.used = 0, half.under_way = false;
}

/// Copies bytes [begin, end) of the buffer. Its pieces follow one another without gaps.
void Readback::copy(const Half& half, std::size_t begin, std::size_t end) {
  auto piece = std::ranges::partition_point(half.pieces, [&](const Piece& p) { return p.at + p.bytes <= begin; });
  for (; begin < end; ++piece) {
    const std::size_t bytes = std::min(piece->at + piece->bytes, end) - begin;
    std::memcpy(static_cast<std::byte*>(piece->to) + (begin - piece->at), half.memory.data() + begin, bytes);
    begin += bytes;
  }
}

namespace {

/// Calls f(array of a, array of b, planes) for each array of a frame.
template <class F>
void for_each_array(Channels& a, const Channels& b, F f) {
  using C = Channels;
  for (float* C::*m : {&C::range, &C::clean_range, &C::incidence, &C::azimuth, &C::elevation, &C::intensity, &C::depth,
                       &C::clean_depth, &C::energy, &C::velocity}) {
    f(a.*m, b.*m, 1U);
  }
  for (float* C::*m : {&C::hit_world, &C::hit_sensor, &C::normal, &C::clean_hit}) f(a.*m, b.*m, 3U);
  for (std::uint32_t* C::*m : {&C::entity_id, &C::triangle_id, &C::label}) f(a.*m, b.*m, 1U);
  f(a.reason, b.reason, 1U), f(a.path, b.path, 1U);
}

/// Gives arrays their places, one after the other from an address on.
class Layout {
 public:
  explicit Layout(CudaAddress next) : next_(next) {}
  template <class T>
  void place(T*& array, bool wanted, std::size_t count) {
    array = wanted ? pointer_to<T>(next_) : nullptr;
    if (wanted) next_ += aligned_bytes(count * sizeof(T));
  }
  [[nodiscard]] CudaAddress next() const { return next_; }

 private:
  CudaAddress next_;
};

/// Calls f(array, whether it is needed) for each array of a window.
template <class F>
void for_each_windowed(Windowed& w, bool has_window, bool has_regions, F f) {
  f(w.reason, has_window);
  for (float** values : {&w.range_m, &w.disparity_px, &w.matched_px, &w.nx, &w.ny, &w.nz, &w.dx, &w.dy, &w.dz}) {
    f(*values, has_window);
  }
  for (std::uint32_t** ids : {&w.taken, &w.entity, &w.triangle}) f(*ids, has_window);
  f(w.region, has_regions), f(w.area, has_regions);
}

CudaAddress lay_out(const Block& block, const Channels& wanted, bool in_frame, CudaAddress first, Channels& arrays,
                    Edges& edges, Windowed& windowed) {
  Layout layout(first);
  const std::size_t rays = block.rays(), all = block.first().returns() * rays;
  for_each_array(arrays, wanted, [&](auto*& array, const auto* there, unsigned planes) {
    layout.place(array, !in_frame && there != nullptr, planes * all);
  });
  arrays.plane = all, arrays.ray_return = rays;
  const bool by_entity = block.any([](const RenderJob& job) { return job.chain.edge_differs_by_entity; });
  layout.place(edges.range_m, block.has_edges(), rays);
  layout.place(edges.reached, block.has_edges(), rays);
  layout.place(edges.entity, block.has_edges() && by_entity, rays);
  for (float** normal : {&edges.nx, &edges.ny, &edges.nz}) layout.place(*normal, block.has_jumps(), rays);
  for_each_windowed(windowed, block.has_window(), block.has_regions(),
                    [&](auto*& array, bool is_wanted) { layout.place(array, is_wanted, rays); });
  return layout.next();
}

CudaAddress address_of(const void* pointer) { return reinterpret_cast<CudaAddress>(pointer); }

}  // namespace

void Results::fit(const Block& block, Frame& frame) {
  block_ = block, frame_ = &frame;
  const bool in_frame = frame.memory() == Frame::Memory::kGpu;
  const Channels wanted = channels_of(0, frame);
  memory_.fit(lay_out(block, wanted, in_frame, 0, arrays_, edges_, windowed_), "the arrays of a frame");
  lay_out(block, wanted, in_frame, memory_.address(), arrays_, edges_, windowed_);
}

Channels Results::channels(std::size_t i) const {
  if (frame_->memory() == Frame::Memory::kGpu) return channels_of(block_.jobs[i].first, *frame_);
  Channels of_job = arrays_;
  const std::size_t first = block_.window.ray_begin - i * block_.window.rays();  // modulo 2^64
  for_each_array(of_job, arrays_, [&](auto*& array, auto* all, unsigned) { array = from_first(all, first); });
  return of_job;
}

Edges Results::edges(std::size_t i) const {
  const std::size_t first = block_.window.ray_begin - i * block_.window.rays();
  return {from_first(edges_.range_m, first), from_first(edges_.reached, first), from_first(edges_.entity, first),
          from_first(edges_.nx, first),      from_first(edges_.ny, first),      from_first(edges_.nz, first)};
}

Windowed Results::windowed(std::size_t i) const {
  Windowed of_job = windowed_;
  const std::size_t first = block_.window.ray_begin - i * block_.window.rays();  // modulo 2^64
  for_each_windowed(of_job, true, true, [&](auto*& array, bool) { array = from_first(array, first); });
  return of_job;
}

void Results::download(Readback& readback) const {
  const std::size_t rays = block_.window.rays();
  Channels to = channels_of(0, *frame_);
  for (std::size_t i = 0, end = 0; i < block_.jobs.size(); i = end) {
    const std::size_t first = block_.jobs[i].first;
    for (end = i + 1; end < block_.jobs.size() && block_.jobs[end].first == first + (end - i) * rays;) ++end;
    for_each_array(to, arrays_, [&](auto* array, const auto* from, unsigned planes) {
      const std::size_t returns = block_.first().returns();  // planes of points hold one after the other
      for (std::size_t p = 0; from != nullptr && p < planes * returns; ++p) {
        readback.add(array + p * frame_->rays() + first + block_.window.ray_begin,
                     address_of(from + p * block_.rays() + i * rays), (end - i) * rays * sizeof(*from));
      }
    });
  }
  if (!block_.is_cut() || !block_.has_edges()) return;
  EdgeScratch& edge = *block_.first().edge;
  const std::size_t at = block_.window.ray_begin;
  readback.add(edge.range_m.data() + at, address_of(edges_.range_m), rays * sizeof(float));
  readback.add(edge.reached.data() + at, address_of(edges_.reached), rays);
  if (edges_.entity != nullptr)
    readback.add(edge.entity.data() + at, address_of(edges_.entity), rays * sizeof(std::uint32_t));
  if (edges_.nx == nullptr) return;
  readback.add(edge.edge_nx.data() + at, address_of(edges_.nx), rays * sizeof(float));
  readback.add(edge.edge_ny.data() + at, address_of(edges_.ny), rays * sizeof(float));
  readback.add(edge.edge_nz.data() + at, address_of(edges_.nz), rays * sizeof(float));
}

void Fields::fit(const Block& block) {
  std::size_t floats = 0;
  for (const RenderJob& job : block.jobs) floats += field_floats(job, block.window);
  memory_.fit(floats * sizeof(float), "correlated draws");
}

void Fields::begin() {
  used_ = 0;
  fields_.clear();
}

void Fields::add(const RenderJob& job, const Window& window, Keeper& keeper, FrameData& data) {
  if (job.chain.correlated.empty()) return;
  add_fields(job, window, pointer_to<float>(memory_.address()) + used_, keeper, fields_, data);
  used_ += field_floats(job, window);
}

void Fields::keep(Keeper& keeper) {
  list_ = reinterpret_cast<CudaAddress>(keeper.keep(std::span<const FieldJob>(fields_)));
}

}  // namespace fathom::device
