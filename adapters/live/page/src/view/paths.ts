// SPDX-License-Identifier: MIT
// The paths of coordinate frames: lines of at most MOST points. A full line drops every other point.
import { BufferAttribute, BufferGeometry, Group, Line, LineBasicMaterial, Matrix4 } from 'three';
import type { TransformTree } from '../data/transform_tree';
import { css, entityColour } from './colours';

const MOST = 4096;
const LEAST_STEP_M = 0.005;

class Path {
  readonly line: Line<BufferGeometry, LineBasicMaterial>;
  readonly points = new Float32Array(3 * MOST);
  private n = 0;

  constructor(colour: string) {
    const geometry = new BufferGeometry();
    geometry.setAttribute('position', new BufferAttribute(this.points, 3));
    geometry.setDrawRange(0, 0);
    this.line = new Line(geometry, new LineBasicMaterial({ color: colour }));
    this.line.frustumCulled = false;
  }

  add(x: number, y: number, z: number): void {
    const at = 3 * (this.n - 1);
    const p = this.points;
    if (this.n > 0 && Math.hypot(x - p[at]!, y - p[at + 1]!, z - p[at + 2]!) < LEAST_STEP_M) {
      return;
    }
    if (this.n === MOST) {
      this.thin();
    }
    p.set([x, y, z], 3 * this.n++);
    this.line.geometry.setDrawRange(0, this.n);
    (this.line.geometry.getAttribute('position') as BufferAttribute).needsUpdate = true;
  }

  clear(): void {
    this.n = 0;
    this.line.geometry.setDrawRange(0, 0);
  }

  private thin(): void {
    for (let i = 0; 2 * i < MOST; ++i) {
      this.points.copyWithin(3 * i, 6 * i, 6 * i + 3);
    }
    this.n = MOST / 2;
  }
}

export class Paths {
  readonly group = new Group();
  private paths = new Map<string, Path>();
  private pose = new Matrix4();

  /** Follows only these frames. */
  follow(frames: string[]): void {
    for (const [frame, path] of this.paths) {
      if (!frames.includes(frame)) {
        this.group.remove(path.line);
        path.line.geometry.dispose();
        path.line.material.dispose();
        this.paths.delete(frame);
      }
    }
    for (const [i, frame] of frames.entries()) {
      if (!this.paths.has(frame)) {
        const path = new Path(css(entityColour(i)));
        this.paths.set(frame, path);
        this.group.add(path.line);
      }
    }
  }

  advance(tree: TransformTree): void {
    for (const [frame, path] of this.paths) {
      const e = tree.pose(frame, this.pose).elements;
      path.add(e[12]!, e[13]!, e[14]!);
    }
  }

  clear(): void {
    for (const path of this.paths.values()) {
      path.clear();
    }
  }
}
