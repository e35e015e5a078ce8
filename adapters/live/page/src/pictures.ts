// SPDX-License-Identifier: MIT
// The pictures of a frame: the cloud with its legend, and images of range or depth, clean depth, errors and reasons.
import { copyDepth, readImage } from './cdr/messages';
import type { Frame } from './data/frame';
import { NO_ENTITY } from './data/frame';
import type { Settings } from './data/settings';
import { magnitude, metres, niceCeil } from './data/statistics';
import type { TransformTree } from './data/transform_tree';
import { h } from './panel/dom';
import type { SensorInfo, State } from './protocol/messages';
import { colourer, ERROR, RANGE, type Scales } from './view/colours';
import { ImagePane } from './view/image_pane';
import { entityLegend, rampLegend, reasonLegend } from './view/legend';
import type { SceneView } from './view/scene_view';

/** Smaller errors are rounding. */
const FINEST_M = 0.001;

export class Pictures {
  readonly panes = h('div', { class: 'panes' });
  readonly legend = h('div', { class: 'legend over' });
  readonly scales: Scales = { range: 10, error: 0.1 };
  private readonly range = new ImagePane('Range', (row, col) => this.describe(row, col));
  private readonly error = new ImagePane('Error', (row, col) => this.describe(row, col));
  private readonly reason = new ImagePane('Reason', (row, col) => this.describe(row, col));
  private readonly depth = new ImagePane('Depth', (row, col) => this.describeDepth(row, col));
  private readonly clean = new ImagePane('Clean depth', (row, col) => this.describe(row, col));
  private depths = new Float32Array(0);
  private camera = false;

  constructor(private readonly frame: Frame, private readonly settings: Settings, private readonly state: () => State | null) {
    this.panes.append(this.range.element, this.clean.element, this.depth.element, this.error.element, this.reason.element);
    this.hide();
  }

  hide(): void {
    for (const pane of [this.range, this.clean, this.depth, this.error, this.reason]) {
      pane.element.hidden = true;
    }
  }

  /** Fits the scales to a new frame; they follow only when they are far off, so that colours do not flicker. */
  fit(sensor: SensorInfo | undefined): void {
    const { frame, scales } = this;
    this.camera = sensor?.kind === 'camera';
    const far = Math.min(magnitude(frame.range, frame.count, 0.95), sensor?.max_range_m ?? Infinity);
    if (far > scales.range || far < 0.6 * scales.range) {
      scales.range = niceCeil(1.05 * far);
    }
    // Few errors beside edges are large; most colours are for the others.
    const wanted = Math.max(1.5 * magnitude(frame.error, frame.count, 0.95), FINEST_M);
    if (frame.hasClean && (wanted > 1.2 * scales.error || wanted < 0.4 * scales.error)) {
      scales.error = niceCeil(wanted);
    }
  }

  drawCloud(view: SceneView, tree: TransformTree): void {
    view.update(this.frame, this.scales, tree);
  }

  drawImages(): void {
    const { frame, scales } = this;
    const { rows, cols, shifts } = frame;
    const camera = this.camera || !this.depth.element.hidden;
    this.range.update(camera ? 0 : rows, cols, colourer(frame, 'range', scales, false), shifts);
    rampLegend(this.range.legend, RANGE, 0, scales.range);
    // The optical axis of a camera is x.
    this.clean.update(camera && frame.hasClean ? rows : 0, cols, (i) => this.depthColour(frame.clean[3 * i]!));
    rampLegend(this.clean.legend, RANGE, 0, scales.range);
    this.error.update(frame.hasClean ? rows : 0, cols, colourer(frame, 'error', scales, false), shifts);
    rampLegend(this.error.legend, ERROR, -scales.error, scales.error);
    this.reason.update(frame.hasReason ? rows : 0, cols, colourer(frame, 'reason', scales, false), shifts);
    reasonLegend(this.reason.legend, frame, this.state()?.reasons ?? []);
    this.drawLegend();
  }

  /** Shows a depth image of the topic `image`. */
  drawDepth(message: DataView): void {
    const image = readImage(message);
    if (this.depths.length < image.rows * image.cols) {
      this.depths = new Float32Array(image.rows * image.cols);
    }
    copyDepth(image, this.depths);
    this.depth.update(image.rows, image.cols, (i) => this.depthColour(this.depths[i]!));
    rampLegend(this.depth.legend, RANGE, 0, this.scales.range);
  }

  private depthColour(value: number): number {
    return value >= 0 ? RANGE[Math.min(255, Math.round((255 * value) / this.scales.range))]! : 0;
  }

  private drawLegend(): void {
    const names = this.state();
    if (this.legend.dataset.mode !== this.settings.mode) {
      this.legend.dataset.mode = this.settings.mode;
      this.legend.dataset.key = '';
    }
    switch (this.settings.mode) {
      case 'range': return rampLegend(this.legend, RANGE, 0, this.scales.range);
      case 'error': return rampLegend(this.legend, ERROR, -this.scales.error, this.scales.error);
      case 'entity': return entityLegend(this.legend, this.frame, names?.entities ?? []);
      case 'reason': return reasonLegend(this.legend, this.frame, names?.reasons ?? []);
    }
  }

  private describe(row: number, col: number): string {
    const { frame } = this;
    const i = row * frame.cols + col;
    const words = [`row ${row}, column ${col}`, Number.isFinite(frame.range[i]!) ? metres(frame.range[i]!, 1) : 'lost'];
    if (frame.hasClean) {
      words.push(`clean ${metres(frame.cleanRange[i]!, 1)}`);
    }
    if (Number.isFinite(frame.error[i]!)) {
      words.push(`error ${metres(frame.error[i]!)}`);
    }
    if (frame.hasReason) {
      words.push((this.state()?.reasons[frame.reason[i]!] ?? `reason ${frame.reason[i]}`).replaceAll('_', ' '));
    }
    if (frame.hasEntity && frame.entity[i] !== NO_ENTITY) {
      words.push(this.state()?.entities[frame.entity[i]!] ?? `entity ${frame.entity[i]}`);
    }
    return words.join(' · ');
  }

  private describeDepth(row: number, col: number): string {
    const value = this.depths[row * this.depth.canvas.width + col]!;
    return `row ${row}, column ${col} · ${Number.isFinite(value) ? metres(value, 1) : 'lost'}`;
  }
}
