// SPDX-License-Identifier: MIT
// The position of a knob's value on its slider, which runs from 0 to STEPS.
import type { Knob } from '../protocol/messages';

export const STEPS = 1000;

export interface SliderScale {
  low: number;
  high: number;
  /** 1 for an even scale, 3 for one with more room for small values. */
  power: number;
}

/**
 * The slider of a knob. A side without a limit ends at ten times the value that the knob had at first, and one whose limit is
 * more than a thousand times that value at a hundred times: the field beside the slider takes the others.
 */
export function sliderScale(knob: Knob): SliderScale {
  const value = Number(knob.value);
  const reach = Math.max(10 * Math.abs(value), 1);
  const low = knob.low ?? -reach;
  const far = low >= 0 && value > 0 && knob.high !== null && knob.high > 1000 * value;
  const high = far ? 100 * value : Math.max(knob.high ?? reach, low);
  const small = low >= 0 && value - low < 0.05 * (high - low);
  return { low, high, power: small && knob.kind === 'number' ? 3 : 1 };
}

export function toSlider(scale: SliderScale, value: number): number {
  const t = scale.high > scale.low ? (value - scale.low) / (scale.high - scale.low) : 0;
  return Math.round(STEPS * Math.min(1, Math.max(0, t)) ** (1 / scale.power));
}

export function fromSlider(scale: SliderScale, position: number, whole: boolean): number {
  const value = scale.low + (scale.high - scale.low) * (position / STEPS) ** scale.power;
  return whole ? Math.round(value) : Number(value.toPrecision(3));
}

/** A knob as the page shows it, and the factor from the server's unit: angles in degrees, as in scene files. */
export function shownKnob(knob: Knob): { shown: Knob; factor: number } {
  if (knob.unit !== 'rad') {
    return { shown: knob, factor: 1 };
  }
  const factor = 180 / Math.PI;
  const [low, high] = [knob.low, knob.high].map((limit) => (limit === null ? null : limit * factor)) as [number | null, number | null];
  return { shown: { ...knob, unit: 'deg', low, high, value: Number(knob.value) * factor }, factor };
}

/** A number of at most five digits and, if possible, eight letters: the width of a field. */
export function short(value: number): string {
  const texts = [5, 4, 3].map((digits) => Number(value.toPrecision(digits)).toString());
  return texts.find((text) => text.length <= 8) ?? Number(value.toPrecision(3)).toExponential();
}

/** The limits of a knob in words, with their unit. */
export function limits(knob: Knob): string {
  const unit = knob.unit && knob.unit !== '1' ? ` ${knob.unit}` : '';
  if (knob.low !== null && knob.high !== null) {
    return `${short(knob.low)} to ${short(knob.high)}${unit}`;
  }
  if (knob.low !== null) {
    return `${short(knob.low)}${unit} or more`;
  }
  return knob.high !== null ? `${short(knob.high)}${unit} or less` : `any value${unit && ` in${unit}`}`;
}
