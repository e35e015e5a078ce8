// SPDX-License-Identifier: MIT
// Pause, step, seek and speed.
import type { State } from '../protocol/messages';
import { h, say } from './dom';

export const SPEEDS = [0.1, 0.25, 0.5, 1, 2, 5, 10];

export class Transport {
  readonly element: HTMLElement;
  private readonly play = h('button', { type: 'button', class: 'play', click: () => this.pause() }, 'Pause');
  private readonly step = h('button', { type: 'button', title: 'One frame further (.)', click: () => this.call('/fathom/step', {}) }, 'Step');
  private readonly slider = h('input', { type: 'range', min: 0, max: 1, step: 'any', 'aria-label': 'Time' });
  private readonly clock = h('output', { class: 'clock' });
  private readonly speed = h('select', { 'aria-label': 'Speed', title: 'Speed (- and +)' }, ...SPEEDS.map((s) => h('option', { value: s }, `${s} ×`)));
  private state: State | null = null;
  private dragging = false;

  constructor(private readonly call: (service: string, request: unknown) => void) {
    this.slider.addEventListener('input', () => {
      this.dragging = true;
      say(this.clock, seconds(Number(this.slider.value)));
    });
    this.slider.addEventListener('change', () => {
      this.dragging = false;
      this.seek(Number(this.slider.value));
    });
    this.speed.addEventListener('change', () => this.call('/fathom/speed', { speed: Number(this.speed.value) }));
    this.element = h('footer', { class: 'transport' }, this.play, this.step, this.slider, this.clock, this.speed);
  }

  update(state: State): void {
    this.state = state;
    say(this.play, state.paused ? 'Play' : 'Pause');
    this.play.title = `${state.paused ? 'Play' : 'Pause'} (space)`;
    this.slider.hidden = state.end_s === null;
    this.slider.min = String(state.start_s ?? 0);
    this.slider.max = String(state.end_s ?? 1);
    if (!this.dragging) {
      this.slider.value = String(state.time_s);
      say(this.clock, state.end_s === null ? seconds(state.time_s) : `${seconds(state.time_s)} of ${seconds(state.end_s)}`);
    }
    if (!SPEEDS.includes(state.speed) && ![...this.speed.options].some((option) => Number(option.value) === state.speed)) {
      this.speed.append(h('option', { value: state.speed }, `${state.speed} ×`));
    }
    this.speed.value = String(state.speed);
  }

  pause(): void {
    if (this.state) {
      this.call('/fathom/pause', { paused: !this.state.paused });
    }
  }

  seek(time: number): void {
    if (this.state) {
      const end = this.state.end_s ?? Infinity;
      this.call('/fathom/seek', { time_s: Math.min(Math.max(time, this.state.start_s ?? 0), end) });
    }
  }

  seekBy(delta: number): void {
    this.seek((this.state?.time_s ?? 0) + delta);
  }

  /** Goes to the next faster (+1) or slower (-1) speed. */
  changeSpeed(direction: number): void {
    const now = this.state?.speed ?? 1;
    const next = direction > 0 ? SPEEDS.find((s) => s > now) : SPEEDS.findLast((s) => s < now);
    if (next !== undefined) {
      this.call('/fathom/speed', { speed: next });
    }
  }
}

function seconds(value: number): string {
  return `${value.toFixed(1)} s`;
}
