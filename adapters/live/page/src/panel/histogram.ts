// SPDX-License-Identifier: MIT
// The errors of a frame as a histogram, and the density of the models over it.
import { densities, metres, summarise, ticks } from '../data/statistics';
import type { Errors } from '../protocol/messages';
import { colourOf, context2d, h, say } from './dom';

const BELOW = 18;
const GAP = 8;

export class Histogram {
  readonly element: HTMLElement;
  private readonly canvas = h('canvas', { class: 'plot', role: 'img', 'aria-label': 'Histogram of errors' });
  private readonly summary = h('p', { class: 'figures' });
  private readonly model = h('span', { class: 'key line' }, 'model');
  private errors: Errors | null = null;

  constructor() {
    const keys = h('span', { class: 'keys' }, h('span', { class: 'key bar' }, 'frame'), this.model);
    this.element = h('section', { class: 'card' }, h('h2', {}, 'Errors', keys), this.canvas, this.summary);
    this.element.title = 'Noisy minus clean range of the rays that returned; σ is the standard deviation';
  }

  update(errors: Errors | null): void {
    this.errors = errors;
    this.draw();
  }

  draw(): void {
    this.element.hidden = !this.errors;
    if (!this.errors) {
      return;
    }
    const { total, mean, stddev } = summarise(this.errors);
    say(this.summary, total > 0 ? `${total} rays · mean ${metres(rounded(mean, stddev), stddev)} · σ ${metres(stddev)}` : 'No ray returned');
    this.model.hidden = !this.errors.density_per_m;
    const canvas = context2d(this.canvas);
    if (canvas && this.errors.counts.length > 0) {
      plot(canvas.g, canvas.width, canvas.height, this.errors);
    }
  }
}

function plot(g: CanvasRenderingContext2D, width: number, height: number, errors: Errors): void {
  const edges = errors.edges_m;
  const low = edges[0]!;
  const high = edges[edges.length - 1]!;
  const bars = densities(errors);
  const model = errors.density_per_m;
  const top = 1.08 * Math.max(...bars, ...(model ?? []), 1e-12);
  const x = (value: number) => ((value - low) / (high - low)) * width;
  const y = (value: number) => (height - BELOW) * (1 - value / top);
  axis(g, width, height, low, high, x);
  g.fillStyle = colourOf('--bar');
  for (const [i, value] of bars.entries()) {
    const from = x(edges[i]!);
    g.fillRect(from, y(value), Math.max(x(edges[i + 1]!) - from - 0.5, 0.5), height - BELOW - y(value));
  }
  if (model) {
    g.strokeStyle = colourOf('--accent');
    g.lineWidth = 2;
    g.beginPath();
    for (const [i, value] of model.entries()) {
      g.lineTo(x(0.5 * (edges[i]! + edges[i + 1]!)), y(value));
    }
    g.stroke();
  }
}

/** A mean, rounded to a hundredth of the standard deviation. */
function rounded(mean: number, stddev: number): number {
  const step = 10 ** Math.floor(Math.log10(0.01 * Math.max(stddev, 0.0001)));
  return Math.round(mean / step) * step;
}

function axis(g: CanvasRenderingContext2D, width: number, height: number, low: number, high: number, x: (value: number) => number): void {
  g.font = '11px system-ui, sans-serif';
  g.fillStyle = colourOf('--quiet');
  g.strokeStyle = colourOf('--line');
  g.lineWidth = 1;
  const scale = Math.max(Math.abs(low), Math.abs(high));
  let free = 0;
  for (const value of ticks(low, high, 5)) {
    const at = Math.round(x(value)) + 0.5;
    g.beginPath();
    g.moveTo(at, 0);
    g.lineTo(at, height - BELOW);
    g.stroke();
    const text = metres(value, scale);
    const wide = g.measureText(text).width;
    const left = Math.min(Math.max(at - wide / 2, 0), width - wide);
    if (left >= free) {
      g.fillText(text, left, height - 4);
      free = left + wide + GAP;
    }
  }
}
