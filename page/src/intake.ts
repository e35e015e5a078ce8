// SPDX-License-Identifier: MIT
// Takes the newest messages of the chosen sensor into a picture, and shows again only what they change.
import type { App } from './app';
import { textOf } from './protocol/wire';

/** What of a frame is to be shown again. */
export interface News {
  frame: boolean;
  image: DataView | undefined;
  statistics: boolean;
}

/** Reads what came, and makes the cloud of it. `recolour` shows everything again, as when a theme or a colour was chosen. */
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

/** The images and panels. */
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
