// SPDX-License-Identifier: MIT
// Colours as packed 0xAABBGGRR words, the order of bytes that ImageData and GPU buffers want.
import type { Frame } from '../data/frame';
import { NO_ENTITY } from '../data/frame';
import type { Mode } from '../data/settings';

export function pack(r: number, g: number, b: number): number {
  return (0xff000000 | (b << 16) | (g << 8) | r) >>> 0;
}

function fromHex(hex: string): number {
  const n = parseInt(hex.slice(1), 16);
  return pack(n >> 16, (n >> 8) & 255, n & 255);
}

export function css(word: number): string {
  return `rgb(${word & 255}, ${(word >> 8) & 255}, ${(word >> 16) & 255})`;
}

/** A colour of a hue in turns, of saturation and value in [0, 1]. */
function fromHsv(hue: number, saturation: number, value: number): number {
  const part = (shift: number) => {
    const k = (shift + 6 * hue) % 6;
    return Math.round(255 * value * (1 - saturation * Math.min(1, Math.max(0, Math.min(k, 4 - k)))));
  };
  return pack(part(5), part(3), part(1));
}

/** A table of 256 colours that passes evenly through the given ones. */
function ramp(stops: string[]): Uint32Array {
  const words = stops.map(fromHex);
  return Uint32Array.from({ length: 256 }, (_, i) => {
    const t = (i / 255) * (words.length - 1);
    const k = Math.min(Math.floor(t), words.length - 2);
    const mix = (shift: number) => {
      const a = (words[k]! >> shift) & 255;
      const b = (words[k + 1]! >> shift) & 255;
      return Math.round(a + (t - k) * (b - a));
    };
    return pack(mix(0), mix(8), mix(16));
  });
}

/** Near to far, readable on dark and light grounds. */
export const RANGE = ramp(['#e8503a', '#f59a33', '#d9c53a', '#6cc063', '#2aa7a0', '#3a7fd0', '#5a57b8']);
/** Too short, right, too long. */
export const ERROR = ramp(['#1d4fd8', '#4f8df0', '#8f98a3', '#ee7d52', '#d42020']);

// Entities and reasons have the colours of fathom's pictures: docs/output-formats.md.
const ENTITIES = Uint32Array.from({ length: 1024 }, (_, id) =>
  fromHsv((0.61803398874989485 * id) % 1, [0.55, 0.8, 0.38][id % 3]!, [0.95, 0.82, 0.7][Math.floor(id / 3) % 3]!));
const REASONS = ['#78c878', '#22242e', '#f0e442', '#0072b2', '#e69f00', '#56b4e9', '#009e73', '#3c5a6e', '#9467bd', '#cc79a7',
  '#d55e00', '#6e6e6e', '#b2182b', '#ffb6c1', '#7fffd4', '#8b5a2b', '#4a3e5c', '#820082', '#b4dcff'].map(fromHex);
const NONE = fromHex('#969696');

export function entityColour(entity: number): number {
  return entity === NO_ENTITY ? NONE : ENTITIES[entity % ENTITIES.length]!;
}

export function reasonColour(reason: number): number {
  return REASONS[reason % REASONS.length]!;
}

function index(t: number): number {
  return t <= 0 ? 0 : t >= 1 ? 255 : Math.floor(255 * t + 0.5);
}

export interface Scales {
  /** Metres at the far end of the colours of range. */
  range: number;
  /** Metres at either end of the colours of error. */
  error: number;
}

/** The colour of ray i of a frame; `clean` colours its clean range instead of the noisy one. 0 where there is no value. */
export function colourer(frame: Frame, mode: Mode, scales: Scales, clean: boolean): (i: number) => number {
  switch (mode) {
    case 'range': {
      const values = clean ? frame.cleanRange : frame.range;
      return (i) => (values[i]! >= 0 ? RANGE[index(values[i]! / scales.range)]! : 0);
    }
    case 'error': {
      const values = frame.error;
      const half = 0.5 / scales.error;
      return (i) => (values[i]! === values[i]! ? ERROR[index(0.5 + half * values[i]!)]! : clean ? NONE : 0);
    }
    case 'entity':
      return (i) => (frame.hasEntity ? entityColour(frame.entity[i]!) : NONE);
    case 'reason':
      return (i) => (frame.hasReason ? reasonColour(frame.reason[i]!) : NONE);
  }
}
