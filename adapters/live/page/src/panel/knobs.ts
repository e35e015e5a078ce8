// SPDX-License-Identifier: MIT
// The knobs of the chosen sensor's noise models, from the list of the server.
import type { Knob, Value } from '../protocol/messages';
import { h, put } from './dom';
import { fromSlider, limits, short, shownKnob, sliderScale, STEPS, toSlider } from './knob_scale';

const SEND_EVERY_MS = 40;

interface Control {
  knob: Knob;
  show(value: Value): void;
}

export class Knobs {
  readonly element = h('section', { class: 'card knobs', 'aria-label': 'Noise' });
  private knobs: Knob[] = [];
  private controls = new Map<string, Control>();
  private loaded = new Map<string, Value>();
  private waiting = new Map<string, Value>();
  private timer = 0;

  constructor(private readonly send: (name: string, value: Value) => void) {}

  /** Takes the list of knobs; "reset" restores the values of this list. */
  load(knobs: Knob[], sensor: string): void {
    this.knobs = knobs;
    this.loaded = new Map(knobs.map((knob) => [knob.name, knob.value]));
    this.choose(sensor);
  }

  names(): string[] {
    return this.knobs.map((knob) => knob.name);
  }

  /** Shows the knobs of a sensor. */
  choose(sensor: string): void {
    this.controls.clear();
    const groups = new Map<string, Knob[]>();
    for (const knob of this.knobs.filter((k) => k.sensor === sensor)) {
      const entry = knob.name.slice(0, knob.name.lastIndexOf('.'));
      groups.set(entry, [...(groups.get(entry) ?? []), knob]);
    }
    const body = [...groups.values()].map((group) => this.group(group));
    const none = h('p', { class: 'quiet' }, 'This sensor has no noise models whose numbers can be turned.');
    const reset = h('button', { class: 'small', type: 'button', click: () => this.reset(sensor) }, 'Reset');
    reset.title = 'Set every knob of this sensor to the value it had when it was loaded';
    put(this.element, h('h2', {}, 'Noise', ...(body.length > 0 ? [reset] : [])), ...(body.length > 0 ? body : [none]));
    this.element.hidden = this.knobs.length === 0;
  }

  /** Shows values of the server, which other clients may have set. */
  values(parameters: { name: string; value?: Value }[]): void {
    for (const { name, value } of parameters) {
      const knob = this.knobs.find((k) => k.name === name);
      if (knob && value !== undefined) {
        knob.value = value;
        // A value that is still to be sent is newer than the answer to the one before it.
        if (!this.waiting.has(name)) {
          this.controls.get(name)?.show(value);
        }
      }
    }
  }

  focus(): void {
    this.element.querySelector<HTMLElement>('input, select')?.focus();
  }

  private reset(sensor: string): void {
    for (const knob of this.knobs.filter((k) => k.sensor === sensor)) {
      const value = this.loaded.get(knob.name)!;
      if (value !== knob.value) {
        this.controls.get(knob.name)?.show(value);
        this.set(knob.name, value);
      }
    }
  }

  private group(knobs: Knob[]): HTMLElement {
    const rows = knobs.map((knob) => this.row(knob));
    return h('fieldset', {}, h('legend', {}, knobs[0]!.title), ...rows);
  }

  private row(given: Knob): HTMLElement {
    const { shown: knob, factor } = shownKnob(given);
    const id = `knob-${knob.name}`;
    const about = h('p', { class: 'about', id: `${id}-about`, hidden: true }, `${knob.about} `);
    if (knob.kind === 'number' || knob.kind === 'whole') {
      about.append(h('span', { class: 'limits' }, `Limits: ${limits(knob)}.`));
    }
    const more = h('button', { class: 'info', type: 'button', 'aria-label': `About ${knob.field}`, 'aria-expanded': 'false' }, 'i');
    more.addEventListener('click', () => {
      about.hidden = !about.hidden;
      more.setAttribute('aria-expanded', String(!about.hidden));
    });
    const unit = h('span', { class: 'unit' }, knob.unit === '1' ? '' : knob.unit);
    const label = h('label', { for: id, title: knob.about }, words(knob.field));
    const { controls, show } = this.control(knob, id, factor);
    this.controls.set(knob.name, { knob, show });
    show(given.value);
    return h('div', { class: `knob of-${knob.kind}` }, h('div', { class: 'name' }, label, more), ...controls, unit, about);
  }

  private control(knob: Knob, id: string, factor: number): { controls: HTMLElement[]; show: (value: Value) => void } {
    if (knob.kind === 'flag') {
      const box = h('input', { type: 'checkbox', id, change: () => this.set(knob.name, box.checked) });
      return { controls: [box], show: (value) => { box.checked = value === true; } };
    }
    if (knob.kind === 'choice') {
      const options = (knob.choices ?? []).map((choice) => h('option', { value: choice }, words(choice)));
      const list = h('select', { id, change: () => this.set(knob.name, list.value) }, ...options);
      return { controls: [list], show: (value) => { list.value = String(value); } };
    }
    const whole = knob.kind === 'whole';
    const scale = sliderScale(knob);
    const slider = h('input', { type: 'range', min: 0, max: STEPS, step: 1, 'aria-label': `${knob.field}, slider` });
    const box = h('input', { type: 'number', id, step: whole ? 1 : 'any', 'aria-describedby': `${id}-about` });
    slider.addEventListener('input', () => {
      const value = fromSlider(scale, Number(slider.value), whole);
      box.value = short(value);
      this.set(knob.name, value / factor);
    });
    box.addEventListener('change', () => {
      if (box.value !== '') {
        this.set(knob.name, Number(box.value) / factor);
      }
    });
    const show = (given: Value) => {
      // The server keeps single precision, which turns 0.01 degrees into 0.0099999998.
      const value = factor === 1 ? Number(given) : Number((Number(given) * factor).toPrecision(6));
      if (Number(box.value) !== value || box.value === '') {
        box.value = short(value);
      }
      if (document.activeElement !== slider || fromSlider(scale, Number(slider.value), whole) !== value) {
        slider.value = String(toSlider(scale, value));
      }
    };
    return { controls: [slider, box], show };
  }

  private set(name: string, value: Value): void {
    this.waiting.set(name, value);
    if (this.timer === 0) {
      this.flush();
      this.timer = window.setTimeout(() => {
        this.timer = 0;
        this.flush();
      }, SEND_EVERY_MS);
    }
  }

  private flush(): void {
    const values = [...this.waiting];
    this.waiting.clear();
    for (const [name, value] of values) {
      this.send(name, value);
    }
  }
}

/** A key of a scene file as words, without its unit. */
function words(field: string): string {
  return field.replace(/(?<!_per)_(m|s|rad|deg|hz|mm|m2)$/, '').replaceAll('_', ' ');
}
