// SPDX-License-Identifier: MIT
import type { Frame } from '../data/frame';
import { metres } from '../data/statistics';
import { h, put } from '../panel/dom';
import { css, entityColour, reasonColour } from './colours';

const MOST_CHIPS = 12;

/** A bar of colours with a text at either end and in the middle. */
export function rampLegend(to: HTMLElement, table: Uint32Array, low: number, high: number): void {
  const key = `${table[0]} ${low} ${high}`;
  if (to.dataset.key === key) {
    return;
  }
  to.dataset.key = key;
  const bar = h('canvas', { class: 'ramp', width: 256, height: 1 });
  const image = new ImageData(256, 1);
  new Uint32Array(image.data.buffer).set(table);
  bar.getContext('2d')!.putImageData(image, 0, 0);
  const scale = Math.max(Math.abs(low), Math.abs(high));
  const ends = [low, 0.5 * (low + high), high].map((value) => h('span', {}, metres(value, scale)));
  put(to, bar, h('div', { class: 'ends' }, ...ends));
}

interface Chip {
  colour: number;
  text: string;
}

function chips(to: HTMLElement, list: Chip[], more: number): void {
  const key = list.map((chip) => chip.text).join('\n') + more;
  if (to.dataset.key === key) {
    return;
  }
  to.dataset.key = key;
  const out = list.map(({ colour, text }) => {
    const swatch = h('i', { class: 'swatch' });
    swatch.style.background = css(colour);
    return h('span', { class: 'chip' }, swatch, text);
  });
  put(to, h('div', { class: 'chips' }, ...out, ...(more > 0 ? [h('span', { class: 'chip' }, `and ${more} more`)] : [])));
}

const MOST_VALUES = 1 << 16;
const counts = new Uint32Array(MOST_VALUES);

/** The values below MOST_VALUES that occur and their counts, the most frequent first. */
function counted(values: Uint32Array | Uint8Array, count: number): [number, number][] {
  counts.fill(0);
  for (let i = 0; i < count; ++i) {
    const value = values[i]!;
    if (value < MOST_VALUES) {
      counts[value]!++;
    }
  }
  const found: [number, number][] = [];
  for (let value = 0; value < MOST_VALUES; ++value) {
    if (counts[value]! > 0) {
      found.push([value, counts[value]!]);
    }
  }
  return found.sort((a, b) => b[1] - a[1]);
}

/** The entities in sight by descending share of rays. */
export function entityLegend(to: HTMLElement, frame: Frame, names: string[]): void {
  const found = counted(frame.entity, frame.hasEntity ? frame.count : 0);
  const list = found.slice(0, MOST_CHIPS);
  chips(to, list.map(([entity]) => ({ colour: entityColour(entity), text: names[entity] ?? `entity ${entity}` })), found.length - list.length);
}

/** The reasons that occur, in the order of the list. */
export function reasonLegend(to: HTMLElement, frame: Frame, names: string[]): void {
  const found = counted(frame.reason, frame.hasReason ? frame.count : 0).map(([reason]) => reason).sort((a, b) => a - b);
  chips(to, found.map((reason) => ({ colour: reasonColour(reason), text: (names[reason] ?? `reason ${reason}`).replaceAll('_', ' ') })), 0);
}
