// SPDX-License-Identifier: MIT
// Reads CDR as ROS 2 writes it: four bytes that name the byte order, then values aligned to their size.

export class CdrReader {
  readonly little: boolean;
  private at = 4;

  constructor(private readonly view: DataView) {
    if (view.byteLength < 4) {
      throw new Error('a CDR message has at least 4 bytes');
    }
    this.little = (view.getUint8(1) & 1) === 1;
  }

  u8(): number {
    return this.view.getUint8(this.at++);
  }

  u32(): number {
    this.align(4);
    const value = this.view.getUint32(this.at, this.little);
    this.at += 4;
    return value;
  }

  i32(): number {
    return this.u32() | 0;
  }

  f64(): number {
    this.align(8);
    const value = this.view.getFloat64(this.at, this.little);
    this.at += 8;
    return value;
  }

  string(): string {
    const size = this.u32();
    const bytes = this.take(size);
    return new TextDecoder().decode(new Uint8Array(bytes.buffer, bytes.byteOffset, Math.max(size - 1, 0)));
  }

  /** A sequence of bytes, without a copy. */
  bytes(): DataView {
    return this.take(this.u32());
  }

  /** The stamp in seconds and the frame of a std_msgs/Header. */
  header(): { stamp: number; frame: string } {
    const seconds = this.i32();
    const stamp = seconds + 1e-9 * this.u32();
    return { stamp, frame: this.string() };
  }

  private align(size: number): void {
    this.at = 4 + Math.ceil((this.at - 4) / size) * size;
  }

  private take(size: number): DataView {
    if (size > this.view.byteLength - this.at) {
      throw new Error(`${size} bytes are announced at byte ${this.at}, and ${this.view.byteLength - this.at} are there`);
    }
    const part = new DataView(this.view.buffer, this.view.byteOffset + this.at, size);
    this.at += size;
    return part;
  }
}
