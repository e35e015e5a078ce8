// SPDX-License-Identifier: MIT
import type { Theme } from './data/settings';

const LIGHT = window.matchMedia('(prefers-color-scheme: light)');

/** Puts the theme on the page; "auto" is what the system prefers. */
export function applyTheme(theme: Theme): void {
  document.documentElement.dataset.theme = theme === 'auto' ? (LIGHT.matches ? 'light' : 'dark') : theme;
}

export function onSystemTheme(changed: () => void): void {
  LIGHT.addEventListener('change', changed);
}

export function nextTheme(theme: Theme): Theme {
  return theme === 'auto' ? 'dark' : theme === 'dark' ? 'light' : 'auto';
}
