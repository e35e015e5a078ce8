// SPDX-License-Identifier: MIT
// A room of boxes, a lidar that drives in a circle and a camera, with a law that tests know: errors are normal with the
// standard deviation of the knob, and rays drop out with the probability of the other.

export const REASONS = ['hit', 'miss', 'below_min_range', 'above_max_range', 'loss_angle', 'hidden_left', 'hidden_right',
  'hidden_both', 'low_energy', 'random_loss', 'dropout', 'masked', 'edge_loss', 'edge', 'speckle', 'low_texture',
  'no_further_return', 'low_power', 'specular'];
export const ENTITIES = ['walls', 'table', 'shelf', 'pillar', 'crate'];

// Each box: low corner, high corner. The first is the room, seen from inside and open above its walls.
const BOXES = [
  [[-5, -4, 0], [5, 4, 2.6]],
  [[1.6, 0.4, 0], [3.2, 1.6, 0.75]],
  [[-4.9, -2.5, 0], [-4.4, 1.5, 2]],
  [[-1.2, 2.2, 0], [-0.8, 2.6, 2.6]],
  [[2.2, -2.6, 0], [3.1, -1.8, 0.9]],
];

export function random(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

function normal(next) {
  return Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next());
}

function cast(origin, direction) {
  let best = Infinity;
  let entity = 0xffffffff;
  for (const [index, [low, high]] of BOXES.entries()) {
    let near = -Infinity;
    let far = Infinity;
    for (let axis = 0; axis < 3; ++axis) {
      const a = (low[axis] - origin[axis]) / direction[axis];
      const b = (high[axis] - origin[axis]) / direction[axis];
      near = Math.max(near, Math.min(a, b));
      far = Math.min(far, Math.max(a, b));
    }
    const open = origin[2] + far * direction[2] >= 2.599;
    const t = index === 0 ? (open ? Infinity : far) : near;
    if (near <= far && t > 0 && t < best) {
      best = t;
      entity = index;
    }
  }
  return [best, entity];
}

export function lidarRays(rows, cols) {
  const out = [];
  for (let row = 0; row < rows; ++row) {
    const height = (25 - (45 * (row + 0.5)) / rows) * (Math.PI / 180);
    for (let col = 0; col < cols; ++col) {
      const angle = Math.PI - (2 * Math.PI * (col + 0.5)) / cols;
      out.push([Math.cos(height) * Math.cos(angle), Math.cos(height) * Math.sin(angle), Math.sin(height)]);
    }
  }
  return out;
}

export function cameraRays(rows, cols) {
  const out = [];
  for (let row = 0; row < rows; ++row) {
    for (let col = 0; col < cols; ++col) {
      const y = -(2 * (col + 0.5) / cols - 1) * 0.75;
      const z = -(2 * (row + 0.5) / rows - 1) * 0.75 * (rows / cols);
      const length = Math.hypot(1, y, z);
      out.push([1 / length, y / length, z / length]);
    }
  }
  return out;
}

/** Where the sensors are at a time: [x, y, z, yaw]. */
export function pose(time, camera) {
  const angle = 0.3 * time;
  return [1.2 * Math.cos(angle), 1.2 * Math.sin(angle), camera ? 0.9 : 1.2, angle + Math.PI / 2];
}

/** One frame: planes of noisy points and of truth, and the numbers of the statistics. */
export function render(rays, rows, cols, frame, time, camera, stddev, dropout) {
  const next = random(1000003 * frame + (camera ? 7 : 1));
  const count = rows * cols;
  const out = { x: new Float32Array(count), y: new Float32Array(count), z: new Float32Array(count), clean: new Float32Array(count),
    entity: new Uint32Array(count), reason: new Uint8Array(count), depth: new Float32Array(count), errors: [], reasons: {} };
  const [px, py, pz, yaw] = pose(time, camera);
  const [c, s] = [Math.cos(yaw), Math.sin(yaw)];
  for (let i = 0; i < count; ++i) {
    const [dx, dy, dz] = rays[i];
    const [range, entity] = cast([px, py, pz], [c * dx - s * dy, s * dx + c * dy, dz]);
    const error = stddev * normal(next);
    const lost = next() < dropout;
    const reason = range === Infinity ? 1 : lost ? 10 : 0;
    const r = reason === 0 ? range + error : NaN;
    [out.x[i], out.y[i], out.z[i], out.depth[i]] = [r * dx, r * dy, r * dz, r * dx];
    out.clean[i] = range === Infinity ? NaN : range;
    [out.entity[i], out.reason[i]] = [entity, reason];
    out.reasons[REASONS[reason]] = (out.reasons[REASONS[reason]] ?? 0) + 1;
    if (reason === 0) {
      out.errors.push(error);
    }
  }
  return out;
}

export function histogram(errors, stddev, bins = 61) {
  const reach = Math.max(4 * stddev, 0.001);
  const edges = Array.from({ length: bins + 1 }, (_, i) => -reach + (2 * reach * i) / bins);
  const counts = new Array(bins).fill(0);
  for (const error of errors) {
    const bin = Math.floor(((error + reach) / (2 * reach)) * bins);
    if (bin >= 0 && bin < bins) {
      counts[bin]++;
    }
  }
  const density = counts.map((_, i) => {
    const z = 0.5 * (edges[i] + edges[i + 1]) / stddev;
    return Math.exp(-0.5 * z * z) / (stddev * Math.sqrt(2 * Math.PI));
  });
  return { edges_m: edges, counts, density_per_m: stddev > 0 ? density : null };
}
