// SPDX-License-Identifier: MIT
import { CdrReader } from './reader';

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
