// SPDX-License-Identifier: MIT
// Takes the newest messages of the chosen sensor, and updates only the parts of the page that they change.
import type { App } from './app';
import { textOf } from './protocol/wire';

/** Holds the newest message of each topic until the page is drawn. Older messages are dropped. */
export class Inbox {
  private messages = new Map<string, DataView>();

  put(topic: string, payload: DataView): void {
    this.messages.set(topic, payload);
  }

  take(topic: string): DataView | undefined {
    const message = this.messages.get(topic);
    this.messages.delete(topic);
    return message;
  }

  clear(): void {
    this.messages.clear();
  }
}

/** Draws at most once per refresh of the screen, and only after a change. */
export class Loop {
  private asked = false;

  constructor(private readonly draw: () => void) {}

  readonly ask = (): void => {
    if (!this.asked) {
      this.asked = true;
      requestAnimationFrame(() => {
        this.asked = false;
        this.draw();
      });
    }
  };
}

/** The parts to update. */
export interface News {
  frame: boolean;
  image: DataView | undefined;
  statistics: boolean;
}

/** Reads the messages and makes the cloud. `recolour` updates all parts, after a change of theme or colours. */
export function takeMessages(app: App, recolour: boolean): News {
  const take = (kind: string) => app.inbox.take(`/${app.sensor}/${kind}`);
  const [rays, points, image, statistics] = [take('rays'), take('points'), take('image'), take('statistics')];
  if (rays) {
    app.frame.readRays(rays);
  }
  if (points) {
    app.frame.readPoints(points);
    app.pictures.fit(app.info());
    app.notes.keep('message', null);
    app.counts.frames++;
    app.counts.firstMs ||= performance.now();
  }
  if (statistics) {
    app.statistics = JSON.parse(textOf(statistics));
  }
  const frame = recolour || points !== undefined || rays !== undefined;
  if (frame) {
    app.pictures.drawCloud(app.view, app.tree);
  }
  return { frame, image, statistics: recolour || statistics !== undefined };
}

/** Updates images and panels. */
export function showPanels(app: App, news: News): void {
  if (news.image) {
    app.pictures.drawDepth(news.image);
  }
  if (news.frame) {
    app.pictures.drawImages();
  }
  if (news.statistics) {
    app.histogram.update(app.statistics?.errors ?? null);
    app.losses.update(app.statistics, app.state?.reasons ?? []);
  }
}
