// SPDX-License-Identifier: MIT
// Choices that exclude each other as a row of buttons, and the row on top of the page.
import { h } from './dom';

export class Choice<T extends string> {
  readonly element: HTMLElement;
  private readonly buttons = new Map<T, HTMLButtonElement>();

  constructor(label: string, values: readonly T[], private readonly chosen: (value: T) => void) {
    this.element = h('div', { class: 'choice', role: 'group', 'aria-label': label });
    for (const value of values) {
      const button = h('button', { type: 'button', click: () => this.chosen(value) }, value);
      this.buttons.set(value, button);
      this.element.append(button);
    }
  }

  show(value: T): void {
    for (const [name, button] of this.buttons) {
      button.setAttribute('aria-pressed', String(name === value));
    }
  }
}

export interface Actions {
  sensor(name: string): void;
  saveFrame(): void;
  saveScene(): void;
  theme(): void;
  help(): void;
}

export class Header {
  readonly element: HTMLElement;
  readonly sensors = h('select', { 'aria-label': 'Sensor', title: 'Sensor (n)' });
  readonly scene = h('span', { class: 'scene' });
  readonly saveFrame: HTMLButtonElement;
  readonly saveScene: HTMLButtonElement;
  readonly theme: HTMLButtonElement;
  private names = '';

  constructor(actions: Actions) {
    const button = (text: string, title: string, run: () => void) => h('button', { type: 'button', title, click: run }, text);
    this.saveFrame = button('Save frame', 'Save this frame (f)', actions.saveFrame);
    this.saveScene = button('Save scene', 'Save the scene with these values (w)', actions.saveScene);
    this.theme = button('Auto', 'Dark or light (t)', actions.theme);
    const help = button('?', 'Help (?)', actions.help);
    help.setAttribute('aria-label', 'Help');
    this.sensors.addEventListener('change', () => actions.sensor(this.sensors.value));
    this.element = h('header', {}, h('h1', {}, 'fathom'), this.scene, this.sensors, h('span', { class: 'gap' }),
      this.saveFrame, this.saveScene, this.theme, help);
  }

  showSensors(names: string[], chosen: string): void {
    const key = names.join('\n');
    if (key !== this.names) {
      this.names = key;
      this.sensors.replaceChildren(...names.map((name) => h('option', { value: name }, name)));
    }
    this.sensors.value = chosen;
    this.sensors.hidden = names.length === 0;
  }
}
