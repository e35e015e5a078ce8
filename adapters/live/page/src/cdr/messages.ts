// SPDX-License-Identifier: MIT
// The messages of ROS 2 that the page reads: PointCloud2, Image, TFMessage.
import { CdrReader } from './reader';

export interface Field {
  offset: number;
  datatype: number;
}

/** A sensor_msgs/PointCloud2 whose points are still bytes. */
export interface PointCloud {
  stamp: number;
  frame: string;
  rows: number;
  cols: number;
  fields: Map<string, Field>;
  little: boolean;
  pointStep: number;
  rowStep: number;
  data: DataView;
}

export type Target = Float32Array | Uint32Array | Uint8Array;

const FLOAT32 = 7;
const SIZES = [0, 1, 1, 2, 2, 4, 4, 4, 8];

export function readPointCloud(message: DataView): PointCloud {
  const cdr = new CdrReader(message);
  const { stamp, frame } = cdr.header();
  const rows = cdr.u32();
  const cols = cdr.u32();
  const fields = new Map<string, Field>();
  for (let left = cdr.u32(); left > 0; --left) {
    const name = cdr.string();
    const offset = cdr.u32();
    const datatype = cdr.u8();
    cdr.u32();
    fields.set(name, { offset, datatype });
  }
  const little = cdr.u8() === 0;
  const pointStep = cdr.u32();
  const rowStep = cdr.u32();
  const data = cdr.bytes();
  const cloud = { stamp, frame, rows, cols, fields, little, pointStep, rowStep, data };
  check(cloud);
  return cloud;
}

function check(cloud: PointCloud): void {
  const { rows, cols, pointStep, rowStep, data } = cloud;
  if (pointStep < 1 || rowStep < cols * pointStep || data.byteLength < rows * rowStep) {
    throw new Error(`${rows} x ${cols} points of ${pointStep} bytes do not fit into ${data.byteLength} bytes`);
  }
  for (const [name, field] of cloud.fields) {
    if (field.offset + (SIZES[field.datatype] ?? 8) > pointStep) {
      throw new Error(`the field ${name} reaches beyond a point of ${pointStep} bytes`);
    }
  }
}

function getter(data: DataView, datatype: number, little: boolean): ((at: number) => number) | null {
  switch (datatype) {
    case 1: return (at) => data.getInt8(at);
    case 2: return (at) => data.getUint8(at);
    case 3: return (at) => data.getInt16(at, little);
    case 4: return (at) => data.getUint16(at, little);
    case 5: return (at) => data.getInt32(at, little);
    case 6: return (at) => data.getUint32(at, little);
    case 7: return (at) => data.getFloat32(at, little);
    case 8: return (at) => data.getFloat64(at, little);
    default: return null;
  }
}

/** Copies a field into every `stride`-th place of `out` from `first` on; false when the cloud has no such field. */
export function copyField(cloud: PointCloud, name: string, out: Target, first = 0, stride = 1): boolean {
  const field = cloud.fields.get(name);
  const get = field && getter(cloud.data, field.datatype, cloud.little);
  if (!field || !get) {
    return false;
  }
  for (let row = 0; row < cloud.rows; ++row) {
    const at = row * cloud.rowStep + field.offset;
    const to = first + row * cloud.cols * stride;
    if (field.datatype === FLOAT32 && out instanceof Float32Array) {
      copyFloats(cloud, at, out, to, stride);
    } else {
      for (let col = 0; col < cloud.cols; ++col) {
        out[to + col * stride] = get(at + col * cloud.pointStep);
      }
    }
  }
  return true;
}

/** One row of what most fields are: apart, so that the engine compiles it for these types alone. */
function copyFloats(cloud: PointCloud, from: number, out: Float32Array, to: number, stride: number): void {
  const { data, little, pointStep } = cloud;
  for (let left = cloud.cols; left > 0; --left, from += pointStep, to += stride) {
    out[to] = data.getFloat32(from, little);
  }
}

export interface Image {
  stamp: number;
  frame: string;
  rows: number;
  cols: number;
  encoding: string;
  little: boolean;
  step: number;
  data: DataView;
}

/** Reads a sensor_msgs/Image. */
export function readImage(message: DataView): Image {
  const cdr = new CdrReader(message);
  const { stamp, frame } = cdr.header();
  const rows = cdr.u32();
  const cols = cdr.u32();
  const encoding = cdr.string();
  const little = cdr.u8() === 0;
  const step = cdr.u32();
  const data = cdr.bytes();
  if (data.byteLength < rows * step) {
    throw new Error(`${rows} rows of ${step} bytes do not fit into ${data.byteLength} bytes`);
  }
  return { stamp, frame, rows, cols, encoding, little, step, data };
}

/** Copies depths in metres (32FC1, or 16UC1 in millimetres where 0 is lost) into `out`; lost pixels are NaN. */
export function copyDepth(image: Image, out: Float32Array): void {
  const wide = image.encoding === '32FC1';
  const size = wide ? 4 : 2;
  if ((!wide && image.encoding !== '16UC1') || image.step < image.cols * size) {
    throw new Error(`an image of encoding ${image.encoding} with ${image.cols} columns in ${image.step} bytes is not a depth image`);
  }
  let to = 0;
  for (let row = 0; row < image.rows; ++row) {
    let at = row * image.step;
    for (let col = 0; col < image.cols; ++col, at += size) {
      if (wide) {
        out[to++] = image.data.getFloat32(at, image.little);
      } else {
        const millimetres = image.data.getUint16(at, image.little);
        out[to++] = millimetres === 0 ? NaN : 0.001 * millimetres;
      }
    }
  }
}

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
