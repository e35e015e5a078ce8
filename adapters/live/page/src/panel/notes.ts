// SPDX-License-Identifier: MIT
// Notes: the scene's error and the state of the connection stay, others disappear after a while.
import { h, say } from './dom';

const STAY_MS = 6000;
const MOST = 4;

export class Notes {
  readonly banner = h('div', { class: 'banner', role: 'alert', hidden: true });
  readonly toasts = h('div', { class: 'toasts', role: 'status', 'aria-live': 'polite' });
  private lines = new Map<string, string>();

  /** Keeps a line in the banner under a name, or takes it away with null. */
  keep(name: string, line: string | null): void {
    if (line) {
      this.lines.set(name, line);
    } else {
      this.lines.delete(name);
    }
    this.banner.hidden = this.lines.size === 0;
    say(this.banner, [...this.lines.values()].join(' · '));
  }

  toast(line: string, bad = false): void {
    const element = h('div', { class: bad ? 'toast bad' : 'toast' }, line);
    while (this.toasts.childElementCount >= MOST) {
      this.toasts.firstElementChild!.remove();
    }
    this.toasts.append(element);
    setTimeout(() => element.remove(), STAY_MS);
  }
}
