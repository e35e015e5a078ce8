// SPDX-License-Identifier: MIT
// How long a knob takes to change the picture:  node adapters/live/page/tests/server/latency.mjs SCENE KNOB VALUE VALUE [options of fathom serve]
// From the change of the knob's box to the first picture after the one in which the new errors were drawn; time stands still.
import { firstFrame, launch, open, until } from '../browser/browser.mjs';
import { serve } from './server.mjs';

const [scene, name, one, other, ...options] = process.argv.slice(2);
const server = await serve(scene, ...options);
const browser = await launch();
const page = await open(browser, server);
await firstFrame(page);
const first = await page.evaluate(() => window.fathom.counts.firstMs);
await page.keyboard.press(' ');
await until(page, () => window.fathom.state.paused);
await page.waitForTimeout(1000);
const times = await page.evaluate(async ([id, values]) => {
  const app = window.fathom;
  const box = document.getElementById(id);
  const out = [];
  for (let k = 0; k < 40; ++k) {
    const seen = app.counts.frames;
    const begin = performance.now();
    box.value = values[k % 2];
    box.dispatchEvent(new Event('change', { bubbles: true }));
    while (app.counts.frames === seen) {
      await new Promise((done) => requestAnimationFrame(done));
    }
    out.push(performance.now() - begin);
    await new Promise((done) => setTimeout(done, 200));
  }
  return out.sort((a, b) => a - b);
}, [`knob-${name}`, [one, other]]);
const [low, middle, high] = [0.1, 0.5, 0.9].map((share) => times[Math.floor(share * times.length)].toFixed(0));
const { rows, cols } = await page.evaluate(() => window.fathom.frame);
console.log(`${rows} x ${cols}: first picture after ${first.toFixed(0)} ms; a knob after ${middle} ms (${low} to ${high})`);
await browser.close();
await server.stop();
