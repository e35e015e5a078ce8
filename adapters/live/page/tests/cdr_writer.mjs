// SPDX-License-Identifier: MIT
// Writes CDR for the fake server and the tests: a second, independent statement of the format that src/cdr reads.

export class CdrWriter {
  constructor(size = 1 << 16, little = true) {
    this.little = little;
    this.bytes = Buffer.alloc(size);
    this.bytes[1] = little ? 1 : 0;
    this.at = 4;
  }

  room(count) {
    while (this.at + count > this.bytes.length) {
      this.bytes = Buffer.concat([this.bytes, Buffer.alloc(this.bytes.length)]);
    }
  }

  put(size, name, value) {
    this.room(2 * size);
    while ((this.at - 4) % size !== 0) {
      this.bytes[this.at++] = 0;
    }
    this.bytes[size === 1 ? `write${name}` : `write${name}${this.little ? 'LE' : 'BE'}`](value, this.at);
    this.at += size;
    return this;
  }

  u8(value) { return this.put(1, 'UInt8', value); }
  u32(value) { return this.put(4, 'UInt32', value); }
  i32(value) { return this.put(4, 'Int32', value); }
  f64(value) { return this.put(8, 'Double', value); }

  string(text) {
    const bytes = Buffer.from(`${text}\0`);
    return this.blob(bytes);
  }

  blob(bytes) {
    this.u32(bytes.length);
    this.room(bytes.length);
    bytes.copy(this.bytes, this.at);
    this.at += bytes.length;
    return this;
  }

  header(time, frame) {
    const seconds = Math.floor(time);
    return this.i32(seconds).u32(Math.round(1e9 * (time - seconds))).string(frame);
  }

  end() { return this.bytes.subarray(0, this.at); }
}

const SIZES = { 2: 1, 6: 4, 7: 4 };

/** A PointCloud2; fields are [name, datatype, values]. */
export function pointCloud({ time = 0, frame = 'lidar', rows, cols, fields, padding = 0, rowPadding = 0, little = true }) {
  let step = 0;
  const placed = fields.map(([name, datatype, values]) => {
    const offset = step;
    step += SIZES[datatype];
    return { name, datatype, values, offset };
  });
  step += padding;
  const rowStep = cols * step + rowPadding;
  const data = Buffer.alloc(rows * rowStep);
  const end = little ? 'LE' : 'BE';
  for (const { datatype, values, offset } of placed) {
    const write = { 2: 'writeUInt8', 6: `writeUInt32${end}`, 7: `writeFloat${end}` }[datatype];
    for (let row = 0, i = 0; row < rows; ++row) {
      for (let col = 0; col < cols; ++col, ++i) {
        data[write](values[i], row * rowStep + col * step + offset);
      }
    }
  }
  const out = new CdrWriter(data.length + 1024).header(time, frame).u32(rows).u32(cols).u32(placed.length);
  for (const { name, offset, datatype } of placed) {
    out.string(name).u32(offset).u8(datatype).u32(1);
  }
  return out.u8(little ? 0 : 1).u32(step).u32(rowStep).blob(data).u8(0).end();
}

export function depthImage({ time = 0, frame = 'camera_optical', rows, cols, values, millimetres = false }) {
  const size = millimetres ? 2 : 4;
  const data = Buffer.alloc(rows * cols * size);
  values.forEach((value, i) => (millimetres ? data.writeUInt16LE(value, 2 * i) : data.writeFloatLE(value, 4 * i)));
  const out = new CdrWriter(data.length + 1024).header(time, frame).u32(rows).u32(cols);
  return out.string(millimetres ? '16UC1' : '32FC1').u8(0).u32(cols * size).blob(data).end();
}

/** A TFMessage of [parent, child, [x, y, z], [x, y, z, w]]. */
export function transforms(time, list) {
  const out = new CdrWriter().u32(list.length);
  for (const [parent, child, translation, rotation] of list) {
    out.header(time, parent).string(child);
    [...translation, ...rotation].forEach((value) => out.f64(value));
  }
  return out.end();
}
