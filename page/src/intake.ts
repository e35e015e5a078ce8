// SPDX-License-Identifier: MIT
// Takes the newest messages of the chosen sensor into a picture, and shows again only what they change.
import type { App } from './app';
import { textOf } from './protocol/wire';

/** `recolour` shows everything again, as when a theme or a colour was chosen. */
export function takeMessages(app: App, recolour: boolean): void {
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
  if (image) {
    app.pictures.drawDepth(image);
  }
  if (points || rays || recolour) {
    app.pictures.draw(app.view, app.tree);
  }
  if (statistics) {
    app.statistics = JSON.parse(textOf(statistics));
  }
  if (statistics || recolour) {
    app.histogram.update(app.statistics?.errors ?? null);
    app.losses.update(app.statistics, app.state?.reasons ?? []);
  }
}
