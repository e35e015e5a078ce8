// SPDX-License-Identifier: MIT
// The newest frame of one sensor. Its arrays are reused, and grow for sensors with more rays.
import { copyField, readPointCloud } from '../cdr/messages';

export const NO_ENTITY = 0xffffffff;

export class Frame {
  rows = 0;
  cols = 0;
  count = 0;
  frameId = '';
  hasClean = false;
  hasEntity = false;
  hasReason = false;
  /** The noisy points in the sensor's frame, metres, x y z of each ray; NaN when lost. */
  points = new Float32Array(0);
  /** The ends of the clean rays, metres; NaN when they missed. */
  clean = new Float32Array(0);
  range = new Float32Array(0);
  cleanRange = new Float32Array(0);
  /** Noisy minus clean range, metres; NaN when either is missing. */
  error = new Float32Array(0);
  entity = new Uint32Array(0);
  reason = new Uint8Array(0);
  /** Columns by which images move each row to the right; no row if unknown. */
  shifts: Int32Array = new Int32Array(0);
  private directions = new Float32Array(0);
  private rays = 0;

  /** Forgets the frame of another sensor. */
  clear(): void {
    this.rays = 0;
    this.count = 0;
    this.rows = 0;
    this.cols = 0;
    this.shifts = new Int32Array(0);
  }

  readPoints(message: DataView): void {
    const cloud = readPointCloud(message);
    this.rows = cloud.rows;
    this.cols = cloud.cols;
    this.count = cloud.rows * cloud.cols;
    this.frameId = cloud.frame;
    this.reserve(this.count);
    for (const [axis, name] of ['x', 'y', 'z'].entries()) {
      if (!copyField(cloud, name, this.points, axis, 3)) {
        throw new Error(`a cloud has no field ${name}`);
      }
    }
    this.hasClean = copyField(cloud, 'clean_range', this.cleanRange);
    this.hasEntity = copyField(cloud, 'entity', this.entity);
    this.hasReason = copyField(cloud, 'reason', this.reason);
    this.derive();
  }

  readRays(message: DataView): void {
    const cloud = readPointCloud(message);
    const count = cloud.rows * cloud.cols;
    if (this.directions.length < 3 * count) {
      this.directions = new Float32Array(3 * count);
    }
    for (const [axis, name] of ['x', 'y', 'z'].entries()) {
      copyField(cloud, name, this.directions, axis, 3);
    }
    this.rays = count;
    this.shifts = columnShifts(this.directions, cloud.rows, cloud.cols);
    if (this.count === count) {
      this.derive();
    }
  }

  private reserve(count: number): void {
    if (this.range.length >= count) {
      return;
    }
    this.points = new Float32Array(3 * count);
    this.clean = new Float32Array(3 * count);
    this.range = new Float32Array(count);
    this.cleanRange = new Float32Array(count);
    this.error = new Float32Array(count);
    this.entity = new Uint32Array(count);
    this.reason = new Uint8Array(count);
  }

  private derive(): void {
    const { points, clean, range, cleanRange, error, directions } = this;
    const known = this.rays === this.count;
    if (!this.hasClean) {
      cleanRange.fill(NaN, 0, this.count);
    }
    for (let i = 0, k = 0; i < this.count; ++i, k += 3) {
      const r = Math.sqrt(points[k]! * points[k]! + points[k + 1]! * points[k + 1]! + points[k + 2]! * points[k + 2]!);
      const c = cleanRange[i]!;
      range[i] = r;
      error[i] = r - c;
      // Without the rays, a clean point lies on the line to the noisy one.
      const scale = known ? c : c / r;
      const from = known ? directions : points;
      clean[k] = scale * from[k]!;
      clean[k + 1] = scale * from[k + 1]!;
      clean[k + 2] = scale * from[k + 2]!;
    }
  }
}

const TURN = 2 * Math.PI;
const wrapped = (angle: number) => angle - TURN * Math.round(angle / TURN);

/**
 * Columns by which each row of a lidar that turns once round moves to the right, so that a column of the image looks in one
 * direction. 0 for other sensors. `directions`: x y z of each ray.
 */
export function columnShifts(directions: Float32Array, rows: number, cols: number): Int32Array {
  const azimuth = (ray: number) => Math.atan2(directions[3 * ray + 1]!, directions[3 * ray]!);
  const shifts = new Int32Array(rows);
  let turned = 0;
  for (let col = 1; col < cols; ++col) {
    turned += wrapped(azimuth(col) - azimuth(col - 1));
  }
  const step = turned / (cols - 1);
  if (!(Math.abs(Math.abs(step) * cols - TURN) < 1.5 * Math.abs(step))) {
    return shifts;
  }
  const ahead = Array.from(shifts, (_, row) => Math.round(wrapped(azimuth(row * cols) - azimuth(0)) / step));
  const middle = Math.round(ahead.reduce((sum, n) => sum + n, 0) / rows);
  return shifts.map((_, row) => ahead[row]! - middle);
}
