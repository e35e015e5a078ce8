// SPDX-License-Identifier: MIT
// Numbers of the panels, from the statistics of a frame.
import type { Errors } from '../protocol/messages';

export interface Summary {
  total: number;
  mean: number;
  stddev: number;
}

/** Count, mean and standard deviation (metres) of a histogram, from the middles of its bins; NaN if it is empty. */
export function summarise(errors: Errors): Summary {
  const middles = errors.counts.map((_, i) => 0.5 * (errors.edges_m[i]! + errors.edges_m[i + 1]!));
  const total = errors.counts.reduce((sum, n) => sum + n, 0);
  const mean = errors.counts.reduce((sum, n, i) => sum + n * middles[i]!, 0) / total;
  const variance = errors.counts.reduce((sum, n, i) => sum + n * (middles[i]! - mean) ** 2, 0) / total;
  return { total, mean, stddev: Math.sqrt(variance) };
}

/** The density of each bin, per metre: its share divided by its width. */
export function densities(errors: Errors): number[] {
  const total = errors.counts.reduce((sum, n) => sum + n, 0);
  return errors.counts.map((n, i) => (total > 0 ? n / (total * (errors.edges_m[i + 1]! - errors.edges_m[i]!)) : 0));
}

export interface Rate {
  reason: string;
  count: number;
  share: number;
}

/** The share of each reason that occurs: first reasons of the state's list, in its order, then others. */
export function rates(counts: Record<string, number>, order: string[]): Rate[] {
  const rays = Object.values(counts).reduce((sum, n) => sum + n, 0);
  const names = [...order, ...Object.keys(counts).filter((name) => !order.includes(name))];
  return names
    .filter((name) => (counts[name] ?? 0) > 0)
    .map((reason) => ({ reason, count: counts[reason]!, share: counts[reason]! / rays }));
}

const LEADS = [1, 1.5, 2, 3, 4, 5, 6, 8, 10];

/** The smallest of LEADS times a power of ten that is at least x; 1 if x is not positive. */
export function niceCeil(x: number): number {
  if (!(x > 0) || !Number.isFinite(x)) {
    return 1;
  }
  const power = 10 ** Math.floor(Math.log10(x) + 1e-12);
  const lead = x / power;
  return power * LEADS.find((step) => lead <= step * (1 + 1e-9))!;
}

/** Round numbers between two ends, about `wanted` of them. */
export function ticks(low: number, high: number, wanted: number): number[] {
  const step = niceCeil((high - low) / wanted);
  const first = Math.ceil(low / step - 1e-9);
  const last = Math.floor(high / step + 1e-9);
  return last - first > 1000 ? [] : Array.from({ length: last - first + 1 }, (_, i) => (first + i) * step);
}

const MOST_READ = 4000;

/** A quantile of the magnitudes of finite values among the first `count`, from about MOST_READ of them; 0 without any. */
export function magnitude(values: Float32Array, count: number, quantile: number): number {
  const known: number[] = [];
  const step = Math.max(1, Math.floor(count / MOST_READ));
  for (let i = 0; i < count; i += step) {
    if (Number.isFinite(values[i]!)) {
      known.push(Math.abs(values[i]!));
    }
  }
  known.sort((a, b) => a - b);
  return known[Math.min(Math.floor(quantile * known.length), known.length - 1)] ?? 0;
}

/** Metres as a short text in the unit that suits `scale`. */
export function metres(value: number, scale = Math.abs(value)): string {
  if (!Number.isFinite(value)) {
    return '–';
  }
  return scale < 0.1 ? `${round(1000 * value)} mm` : `${round(value)} m`;
}

function round(value: number): string {
  return Number(value.toPrecision(3)).toString().replace('-', '−');
}
