// SPDX-License-Identifier: MIT
import { CdrReader } from './reader';

export interface Transform {
  stamp: number;
  parent: string;
  child: string;
  /** Metres. */
  translation: [number, number, number];
  /** A unit quaternion x y z w. */
  rotation: [number, number, number, number];
}

/** Reads a tf2_msgs/TFMessage. */
export function readTransforms(message: DataView): Transform[] {
  const cdr = new CdrReader(message);
  const out: Transform[] = [];
  for (let left = cdr.u32(); left > 0; --left) {
    const { stamp, frame } = cdr.header();
    const child = cdr.string();
    out.push({
      stamp,
      parent: frame,
      child,
      translation: [cdr.f64(), cdr.f64(), cdr.f64()],
      rotation: [cdr.f64(), cdr.f64(), cdr.f64(), cdr.f64()],
    });
  }
  return out;
}
