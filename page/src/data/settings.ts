// SPDX-License-Identifier: MIT
// What a user chose, kept by the browser from one visit to the next.

export type Mode = 'range' | 'entity' | 'reason' | 'error';
export type Show = 'noisy' | 'clean' | 'both';
export type Theme = 'auto' | 'dark' | 'light';

export interface Settings {
  mode: Mode;
  show: Show;
  theme: Theme;
  paths: boolean;
  pointSize: number;
}

export const MODES: Mode[] = ['range', 'entity', 'reason', 'error'];
export const SHOWS: Show[] = ['noisy', 'clean', 'both'];
const THEMES: Theme[] = ['auto', 'dark', 'light'];
const KEY = 'fathom.page';

export function load(): Settings {
  const settings: Settings = { mode: 'range', show: 'noisy', theme: 'auto', paths: true, pointSize: 2 };
  try {
    const kept = JSON.parse(localStorage.getItem(KEY) ?? '{}');
    settings.mode = MODES.includes(kept.mode) ? kept.mode : settings.mode;
    settings.show = SHOWS.includes(kept.show) ? kept.show : settings.show;
    settings.theme = THEMES.includes(kept.theme) ? kept.theme : settings.theme;
    settings.paths = kept.paths !== false;
    settings.pointSize = kept.pointSize >= 1 && kept.pointSize <= 8 ? kept.pointSize : settings.pointSize;
  } catch {
    // Without storage each visit starts with the defaults.
  }
  return settings;
}

export function save(settings: Settings): void {
  try {
    localStorage.setItem(KEY, JSON.stringify(settings));
  } catch {
    // As above.
  }
}
