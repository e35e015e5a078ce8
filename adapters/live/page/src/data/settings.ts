// SPDX-License-Identifier: MIT
// Choices of the user, which the browser keeps between visits.

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

const LIGHT = window.matchMedia('(prefers-color-scheme: light)');
const PRINT = window.matchMedia('print');

/** Puts the theme on the page; "auto" is the system's choice. Paper is light. */
export function applyTheme(theme: Theme): void {
  const system = LIGHT.matches ? 'light' : 'dark';
  document.documentElement.dataset.theme = PRINT.matches ? 'light' : theme === 'auto' ? system : theme;
}

export function onSystemTheme(changed: () => void): void {
  LIGHT.addEventListener('change', changed);
  PRINT.addEventListener('change', changed);
}

export function nextTheme(theme: Theme): Theme {
  return theme === 'auto' ? 'dark' : theme === 'dark' ? 'light' : 'auto';
}
