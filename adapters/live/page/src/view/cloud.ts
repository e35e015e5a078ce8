// SPDX-License-Identifier: MIT
// The points of one frame as a cloud of three; its buffers are reused, and grow for larger frames.
import { BufferAttribute, BufferGeometry, DynamicDrawUsage, Points, PointsMaterial } from 'three';
import type { Frame } from '../data/frame';
import type { Mode } from '../data/settings';
import { colourer, type Scales } from './colours';

export class Cloud {
  readonly object: Points<BufferGeometry, PointsMaterial>;
  shown = 0;
  private positions = new Float32Array(0);
  private words = new Uint32Array(0);

  constructor(private readonly clean: boolean) {
    const material = new PointsMaterial({ size: 2, sizeAttenuation: false, vertexColors: true });
    this.object = new Points(new BufferGeometry(), material);
    this.object.frustumCulled = false;
    this.object.matrixAutoUpdate = false;
  }

  /** Takes the points of a frame. In the colours of reasons, lost rays are at the ends of their clean rays. */
  update(frame: Frame, mode: Mode, scales: Scales): void {
    this.reserve(frame.count);
    const colour = colourer(frame, mode, scales, this.clean);
    const lost = mode === 'reason' && !this.clean;
    const { positions, words } = this;
    let n = 0;
    for (let i = 0, k = 0; i < frame.count; ++i, k += 3) {
      let from = this.clean ? frame.clean : frame.points;
      if (lost && !(from[k]! === from[k]!)) {
        from = frame.clean;
      }
      const x = from[k]!;
      if (Number.isFinite(x)) {
        positions[3 * n] = x;
        positions[3 * n + 1] = from[k + 1]!;
        positions[3 * n + 2] = from[k + 2]!;
        const word = colour(i);
        if (word !== 0) {
          words[n++] = word;
        }
      }
    }
    this.shown = n;
    this.upload(n);
  }

  dispose(): void {
    this.object.geometry.dispose();
    this.object.material.dispose();
  }

  private upload(n: number): void {
    const geometry = this.object.geometry;
    geometry.setDrawRange(0, n);
    for (const [name, size] of [['position', 3], ['color', 4]] as const) {
      const attribute = geometry.getAttribute(name) as BufferAttribute | undefined;
      if (attribute) {
        attribute.clearUpdateRanges();
        attribute.addUpdateRange(0, size * n);
        attribute.needsUpdate = true;
      }
    }
  }

  private reserve(count: number): void {
    if (this.words.length >= count) {
      return;
    }
    this.object.geometry.dispose();
    this.object.geometry = new BufferGeometry();
    this.positions = new Float32Array(3 * count);
    this.words = new Uint32Array(count);
    const position = new BufferAttribute(this.positions, 3).setUsage(DynamicDrawUsage);
    const color = new BufferAttribute(new Uint8Array(this.words.buffer), 4, true).setUsage(DynamicDrawUsage);
    this.object.geometry.setAttribute('position', position);
    this.object.geometry.setAttribute('color', color);
  }
}
