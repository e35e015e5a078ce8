// SPDX-License-Identifier: MIT
// The newest frame of one sensor. Its arrays grow when a sensor has more rays and are otherwise used again.
import { copyField, readPointCloud } from '../cdr/point_cloud';

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
  private directions = new Float32Array(0);
  private rays = 0;

  /** Forgets the rays of the sensor before. */
  clear(): void {
    this.rays = 0;
    this.count = 0;
    this.rows = 0;
    this.cols = 0;
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
