// SPDX-License-Identifier: MIT
// Shares of returns, and of losses by reason.
import { rates } from '../data/statistics';
import type { Statistics } from '../protocol/messages';
import { css, reasonColour } from '../view/colours';
import { h, put, say } from './dom';

interface Row {
  element: HTMLElement;
  bar: HTMLElement;
  text: HTMLElement;
}

export class Losses {
  readonly element: HTMLElement;
  private readonly list = h('div', { class: 'rates' });
  private rows = new Map<string, Row>();

  constructor() {
    this.element = h('section', { class: 'card' }, h('h2', {}, 'Returns and losses'), this.list);
  }

  update(statistics: Statistics | null, reasons: string[]): void {
    const found = rates(statistics?.reasons ?? {}, reasons);
    this.element.hidden = found.length === 0;
    const names = found.map((rate) => rate.reason);
    if (names.length !== this.rows.size || names.some((name) => !this.rows.has(name))) {
      this.rows = new Map(names.map((name) => [name, row(name, reasons.indexOf(name))]));
      put(this.list, ...[...this.rows.values()].map((r) => r.element));
    }
    for (const { reason, count, share } of found) {
      const { bar, text, element } = this.rows.get(reason)!;
      bar.style.width = `${100 * share}%`;
      say(text, percent(share));
      element.title = `${count} of ${statistics!.rays} rays`;
    }
  }
}

function row(name: string, index: number): Row {
  const bar = h('i', {});
  bar.style.background = css(reasonColour(Math.max(index, 0)));
  const text = h('span', { class: 'share' });
  const element = h('div', { class: 'rate' }, h('span', {}, name.replaceAll('_', ' ')), h('span', { class: 'track' }, bar), text);
  return { element, bar, text };
}

function percent(share: number): string {
  const value = 100 * share;
  return `${value >= 99.95 || value === 0 ? value.toFixed(0) : value >= 0.1 ? value.toFixed(1) : value.toFixed(3)} %`;
}
