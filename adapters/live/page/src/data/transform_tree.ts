// SPDX-License-Identifier: MIT
// The newest transform of every frame, and from them the pose of a frame in the root.
import { Matrix4, Quaternion, Vector3 } from 'three';
import type { Transform } from '../cdr/messages';

const MOST_FRAMES = 4096;
const DEEPEST = 64;
const ONE = new Vector3(1, 1, 1);

interface Link {
  parent: string;
  local: Matrix4;
}

export class TransformTree {
  private links = new Map<string, Link>();
  private position = new Vector3();
  private rotation = new Quaternion();

  apply(transforms: Transform[]): void {
    for (const { parent, child, translation, rotation } of transforms) {
      let link = this.links.get(child);
      if (!link) {
        if (this.links.size >= MOST_FRAMES) {
          continue;
        }
        link = { parent, local: new Matrix4() };
        this.links.set(child, link);
      }
      link.parent = parent;
      link.local.compose(this.position.fromArray(translation), this.rotation.fromArray(rotation), ONE);
    }
  }

  /** Writes the pose of a frame in the root into `out`; an unknown frame is at the root. */
  pose(frame: string, out: Matrix4): Matrix4 {
    out.identity();
    let link = this.links.get(frame);
    for (let depth = 0; link && depth < DEEPEST; ++depth) {
      out.premultiply(link.local);
      link = this.links.get(link.parent);
    }
    return out;
  }

  clear(): void {
    this.links.clear();
  }
}
