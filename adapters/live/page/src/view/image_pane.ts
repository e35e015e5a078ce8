// SPDX-License-Identifier: MIT
// An image with one pixel for each ray, a caption, and a line about the pixel under the pointer.
import { h } from '../panel/dom';

export class ImagePane {
  readonly element: HTMLElement;
  readonly legend = h('div', { class: 'legend' });
  readonly canvas = h('canvas', { class: 'pixels' });
  private readonly readout = h('output', { class: 'readout' });
  private pixels: ImageData | null = null;
  private words = new Uint32Array(0);
  private shifts: Int32Array = new Int32Array(0);

  constructor(title: string, private readonly describe: (row: number, col: number) => string) {
    this.element = h('figure', { class: 'pane' }, h('figcaption', {}, h('b', {}, title), this.readout), this.canvas, this.legend);
    this.canvas.setAttribute('role', 'img');
    this.canvas.setAttribute('aria-label', title);
    this.canvas.addEventListener('pointermove', (event) => this.read(event));
    this.canvas.addEventListener('pointerleave', () => { this.readout.textContent = ''; });
  }

  /** Paints rows x cols pixels, each row moved to the right by its shift; `colour` gives 0 for pixels that stay empty. */
  update(rows: number, cols: number, colour: (i: number) => number, shifts: Int32Array = new Int32Array(0)): void {
    this.shifts = shifts;
    this.element.hidden = rows < 2 || cols < 2;
    if (this.element.hidden) {
      return;
    }
    if (!this.pixels || this.canvas.width !== cols || this.canvas.height !== rows) {
      this.canvas.width = cols;
      this.canvas.height = rows;
      // Wide scans are drawn taller, so that their few rows can be seen.
      this.canvas.style.aspectRatio = `${Math.min(cols / rows, 5)}`;
      this.pixels = new ImageData(cols, rows);
      this.words = new Uint32Array(this.pixels.data.buffer);
    }
    for (let row = 0, i = 0; row < rows; ++row) {
      for (let col = 0; col < cols; ++col, ++i) {
        this.words[row * cols + this.moved(col, shifts[row] ?? 0)] = colour(i);
      }
    }
    this.canvas.getContext('2d', { willReadFrequently: true })!.putImageData(this.pixels, 0, 0);
  }

  private read(event: PointerEvent): void {
    const box = this.canvas.getBoundingClientRect();
    const col = Math.floor(((event.clientX - box.left) / box.width) * this.canvas.width);
    const row = Math.floor(((event.clientY - box.top) / box.height) * this.canvas.height);
    if (row >= 0 && col >= 0 && row < this.canvas.height && col < this.canvas.width) {
      this.readout.textContent = this.describe(row, this.moved(col, -(this.shifts[row] ?? 0)));
    }
  }

  private moved(col: number, by: number): number {
    const cols = this.canvas.width;
    return (((col + by) % cols) + cols) % cols;
  }
}
