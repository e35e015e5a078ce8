// SPDX-License-Identifier: MIT
// Places the parts of the page.
import type { App } from './app';
import { MODES, nextTheme, SHOWS, type Mode, type Settings, type Show } from './data/settings';
import { h, say } from './panel/dom';
import { Choice, Header } from './panel/toolbar';
import type { Client } from './protocol/client';
import type { State } from './protocol/messages';

export class Layout {
  readonly canvas = h('canvas', { class: 'cloud', tabindex: 0, 'aria-label': 'The cloud in 3-D; drag or use the arrow keys to turn it' });
  readonly header: Header;
  readonly elements: HTMLElement[];
  private readonly modes: Choice<Mode>;
  private readonly shows: Choice<Show>;
  readonly wait = h('p', { class: 'wait' }, 'Waiting for the first frame');
  private readonly labels = h('div', { class: 'labels' }, h('span', {}, 'clean'), h('span', {}, 'noisy'));

  constructor(app: App) {
    this.modes = new Choice('Colour by', MODES, (mode) => app.change({ mode }));
    this.shows = new Choice('Cloud', SHOWS, (show) => app.change({ show }));
    this.header = new Header({
      sensor: (name) => app.choose(name),
      saveFrame: () => void app.call('/fathom/save_frame', { sensor: app.sensor }),
      saveScene: () => void app.call('/fathom/save_scene', {}),
      theme: () => app.change({ theme: nextTheme(app.settings.theme) }),
      help: () => app.help.toggle(),
    });
    const view = h('div', { class: 'view' }, this.canvas, this.labels, this.wait,
      h('div', { class: 'tools' }, this.modes.element, this.shows.element));
    const stage = h('div', { class: 'stage' }, view, app.pictures.legend);
    const side = h('aside', {}, app.knobs.element, app.histogram.element, app.losses.element);
    const main = h('main', {}, h('div', { class: 'left' }, stage, app.transport.element, app.pictures.panes), side);
    this.elements = [this.header.element, app.notes.banner, main, app.notes.toasts];
    app.histogram.element.hidden = true;
    app.losses.element.hidden = true;
    app.knobs.element.hidden = true;
  }

  showSettings(settings: Settings): void {
    this.modes.show(settings.mode);
    this.shows.show(settings.show);
    this.labels.hidden = settings.show !== 'both';
    say(this.header.theme, { auto: 'Auto', dark: 'Dark', light: 'Light' }[settings.theme]);
  }

  showState(state: State, client: Client): void {
    say(this.header.scene, state.scene);
    this.header.scene.title = `${state.scene} · fathom ${state.version}`;
    const may = state.can_save !== false;
    this.header.saveFrame.hidden = !may || !client.has('/fathom/save_frame');
    this.header.saveScene.hidden = !may || !client.has('/fathom/save_scene');
    document.title = `${state.scene} · fathom`;
  }
}
