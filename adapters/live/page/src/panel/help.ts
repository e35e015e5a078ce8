// SPDX-License-Identifier: MIT
// The keys. One table makes the help and the listener.
import { h } from './dom';

export interface Key {
  keys: string[];
  shown: string;
  about: string;
  run(pressed: string): void;
}

export class Help {
  readonly element: HTMLDialogElement;

  constructor(groups: [string, Key[]][]) {
    const close = h('button', { type: 'button', class: 'small', click: () => this.element.close() }, 'Close');
    const lists = groups.map(([title, keys]) =>
      h('section', {}, h('h3', {}, title), h('dl', {}, ...keys.flatMap((key) => [h('dt', {}, h('kbd', {}, key.shown)), h('dd', {}, key.about)]))));
    const mouse = h('p', { class: 'quiet' }, 'In the cloud: drag turns, right button or two fingers move, wheel or pinch zooms. ' +
      'In an image: the pointer reads a pixel. A knob’s “i” says what it does and its limits.');
    const colours = h('p', { class: 'quiet' }, 'Error is noisy minus clean range. Coloured by reason, lost rays are shown where the clean ray ends.');
    this.element = h('dialog', { class: 'help', 'aria-label': 'Help' }, h('h2', {}, 'Keys', close), h('div', { class: 'columns' }, ...lists), mouse, colours);
    this.element.addEventListener('click', (event) => {
      if (event.target === this.element) {
        this.element.close();
      }
    });
  }

  toggle(): void {
    if (this.element.open) {
      this.element.close();
    } else {
      this.element.showModal();
    }
  }
}

/** Runs the action of a key, except in fields and with modifiers. */
export function listen(groups: [string, Key[]][], help: Help): void {
  const table = new Map(groups.flatMap(([, keys]) => keys.flatMap((key) => key.keys.map((name) => [name, key] as const))));
  window.addEventListener('keydown', (event) => {
    const target = event.target as HTMLElement;
    const key = table.get(event.key);
    if (!key || event.ctrlKey || event.metaKey || event.altKey || takes(target, event.key) || (help.element.open && event.key !== '?')) {
      return;
    }
    event.preventDefault();
    key.run(event.key);
  });
}

/** Whether an element handles the key itself. */
function takes(target: HTMLElement, key: string): boolean {
  if (target instanceof HTMLSelectElement) {
    return true;
  }
  if (target instanceof HTMLInputElement) {
    return target.type === 'number' || key.startsWith('Arrow') || (target.type === 'checkbox' && key === ' ');
  }
  return target instanceof HTMLButtonElement && (key === ' ' || key === 'Enter');
}
