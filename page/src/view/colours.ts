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

const ENTITIES = ['#4e8fd0', '#f28e2b', '#59a14f', '#d65f5f', '#9a76c2', '#c49c3b', '#3fa7a0', '#e377a8', '#8c6d57', '#7f8ea3',
  '#a0c14a', '#5b6bd6', '#d98c6a', '#45b36b', '#b35bb0', '#c9b458'].map(fromHex);
const REASONS = ['#5f8577', '#8a949f', '#e0a030', '#b07d2b', '#9a6fd0', '#3f9fd8', '#2f6fb8', '#d85c9a', '#b8b03a', '#3fb8a0',
  '#f04a28', '#c03a50', '#6f7fd8'].map(fromHex);
const NONE = fromHex('#7c8796');

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
