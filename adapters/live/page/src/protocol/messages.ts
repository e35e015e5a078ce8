// SPDX-License-Identifier: MIT
// The JSON messages of fathom's own channels.

export interface SensorInfo {
  name: string;
  kind: string;
  rows: number;
  cols: number;
  max_range_m: number;
  frame_id: string;
}

export interface State {
  scene: string;
  paused: boolean;
  speed: number;
  time_s: number;
  start_s?: number;
  end_s: number | null;
  /** False where nothing may be written. */
  can_save?: boolean;
  error: string | null;
  sensors: SensorInfo[];
  entities: string[];
  reasons: string[];
  version: string;
}

export type Value = number | boolean | string;

export interface Knob {
  name: string;
  sensor: string;
  model: string;
  title: string;
  field: string;
  about: string;
  unit: string;
  kind: 'number' | 'whole' | 'flag' | 'choice';
  low: number | null;
  high: number | null;
  choices?: string[];
  value: Value;
}

export interface Errors {
  edges_m: number[];
  counts: number[];
  density_per_m: number[] | null;
}

export interface Statistics {
  frame: number;
  stamp_s: number;
  rays: number;
  reasons: Record<string, number>;
  errors?: Errors | null;
  render_ms?: number;
}
