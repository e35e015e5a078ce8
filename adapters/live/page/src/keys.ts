// SPDX-License-Identifier: MIT
import type { App } from './app';
import { MODES, nextTheme, SHOWS } from './data/settings';
import type { Key } from './panel/help';

const TURN = 0.12;

export function makeKeys(app: App): [string, Key[]][] {
  const key = (keys: string[], shown: string, about: string, run: () => void): Key => ({ keys, shown, about, run });
  const pair = (less: string, more: string, shown: string, about: string, run: (way: number) => void): Key =>
    ({ keys: [less, more], shown, about, run: (pressed) => run(pressed === less ? -1 : 1) });
  const size = (by: number) => app.change({ pointSize: Math.min(8, Math.max(1, app.settings.pointSize + by)) });
  return [
    ['Time', [
      key([' '], 'space', 'pause or play', () => app.transport.pause()),
      key(['.'], '.', 'one frame further', () => void app.call('/fathom/step', {})),
      key([','], ',', 'one second back', () => app.transport.seekBy(-1)),
      key(['/'], '/', 'one second on', () => app.transport.seekBy(1)),
      key(['0'], '0', 'back to the start', () => app.transport.seek(0)),
      key(['-'], '-', 'slower', () => app.transport.changeSpeed(-1)),
      key(['+', '='], '+', 'faster', () => app.transport.changeSpeed(1)),
    ]],
    ['Cloud', [
      ...MODES.map((mode, i) => key([`${i + 1}`], `${i + 1}`, `colour by ${mode}`, () => app.change({ mode }))),
      key(['c'], 'c', 'noisy, clean, or both', () => app.change({ show: SHOWS[(SHOWS.indexOf(app.settings.show) + 1) % SHOWS.length]! })),
      key(['p'], 'p', 'paths of the sensors', () => app.change({ paths: !app.settings.paths })),
      pair('[', ']', '[ ]', 'smaller, larger points', (way) => size(way)),
      key(['r'], 'r', 'first view again', () => app.view.reset(app.frame)),
      pair('ArrowLeft', 'ArrowRight', '← →', 'turn', (way) => app.view.orbit(way * TURN, 0, 1)),
      pair('ArrowDown', 'ArrowUp', '↓ ↑', 'lower, higher', (way) => app.view.orbit(0, way * TURN, 1)),
      pair('i', 'o', 'i o', 'nearer, farther', (way) => app.view.orbit(0, 0, way < 0 ? 0.85 : 1 / 0.85)),
    ]],
    ['Page', [
      key(['n'], 'n', 'next sensor', () => nextSensor(app)),
      key(['k'], 'k', 'to the knobs', () => app.knobs.focus()),
      key(['f'], 'f', 'save this frame', () => void app.call('/fathom/save_frame', { sensor: app.sensor })),
      key(['w'], 'w', 'save the scene', () => void app.call('/fathom/save_scene', {})),
      key(['t'], 't', 'dark, light, or as the system', () => app.change({ theme: nextTheme(app.settings.theme) })),
      key(['?'], '?', 'this help', () => app.help.toggle()),
    ]],
  ];
}

function nextSensor(app: App): void {
  const names = app.sensorNames();
  app.choose(names[(names.indexOf(app.sensor) + 1) % names.length] ?? '');
}
