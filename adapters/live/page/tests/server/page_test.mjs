// SPDX-License-Identifier: MIT
// The page in Chromium on the real server. SOAK_MINUTES=30 makes the soak long.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { afterEach, beforeEach } from 'node:test';
import { browser, check, errors, firstFrame, open, until, useBrowser } from '../browser/browser.mjs';
import { SCENE, sceneFile, STDDEV } from './scene.mjs';
import { serve, serveOn } from './server.mjs';

let scene;
let server;

useBrowser();
beforeEach(async () => {
  scene = sceneFile();
  server = await serve(scene.path);
});
afterEach(async () => {
  await server.stop();
  scene.remove();
});

const knob = (page, name, value) => page.evaluate(([id, text]) => {
  const box = document.getElementById(id);
  box.value = text;
  box.dispatchEvent(new Event('change', { bubbles: true }));
}, [`knob-${name}`, String(value)]);

check('a knob gives the errors that the model says, playing and paused, and nothing is complained of', async () => {
  const page = await open(browser, server);
  await firstFrame(page);
  for (const [stddev, key] of [[0.2, ' '], [0.05, null]]) {
    await knob(page, STDDEV, stddev);
    await until(page, (wanted) => {
      const { frame } = window.fathom;
      const known = [...frame.error.subarray(0, frame.count)].filter(Number.isFinite);
      return Math.abs(Math.sqrt(known.reduce((sum, e) => sum + e * e, 0) / known.length) - wanted) < 0.1 * wanted;
    }, stddev);
    const seen = await errors(page);
    // The standard error of a standard deviation is stddev / sqrt(2 n); five of them are allowed.
    assert.ok(Math.abs(seen.stddev - stddev) < (5 * stddev) / Math.sqrt(2 * seen.n), `${seen.stddev} of ${seen.n} rays`);
    if (key) {
      await page.keyboard.press(key);
      await until(page, () => window.fathom.state.paused);
    }
  }
  assert.deepEqual(page.complaints, []);
});

check('a scene file that is saved with an error says so in the page, and its mended text is shown', async () => {
  const page = await open(browser, server);
  await firstFrame(page);
  scene.write(SCENE.replace('columns: 256', 'columns: many'));
  await page.locator('.banner', { hasText: 'columns' }).waitFor();
  scene.write(SCENE.replace('columns: 256', 'columns: 64'));
  await until(page, () => window.fathom.frame.cols === 64);
  await page.locator('.banner').waitFor({ state: 'hidden' });
});

check('the page goes on when the server comes back', async () => {
  const page = await open(browser, server);
  await firstFrame(page);
  const { port } = server;
  await server.stop();
  await page.getByText('The connection is lost').waitFor();
  const seen = await page.evaluate(() => window.fathom.counts.frames);
  server = await serveOn(port, scene.path);
  await until(page, (n) => window.fathom.counts.frames > n + 2, seen);
});

check('a page that is busy holds nobody up, and then shows the newest frame', async () => {
  const [busy, other] = [await open(browser, server), await open(browser, server)];
  await Promise.all([firstFrame(busy), firstFrame(other)]);
  const seen = await other.evaluate(() => window.fathom.counts.frames);
  const rest = busy.evaluate(() => {
    for (const end = performance.now() + 5000; performance.now() < end;) { /* busy */ }
  });
  const goesOn = until(other, (n) => window.fathom.counts.frames > n + 5, seen);
  assert.equal(await Promise.race([goesOn.then(() => 'it goes on'), rest.then(() => 'it waited')]), 'it goes on');
  await rest;
  const time = await other.evaluate(() => window.fathom.state.time_s);
  await until(busy, (t) => window.fathom.state.time_s >= t, time);
});

check('neither the page nor the server grows at 10 Hz', async () => {
  const minutes = Number(process.env.SOAK_MINUTES ?? 0);
  const page = await open(browser, server);
  await firstFrame(page);
  const measure = async () => {
    const heap = await page.evaluate(() => {
      window.gc();
      window.gc();
      return { bytes: performance.memory.usedJSHeapSize, frames: window.fathom.counts.frames };
    });
    return { ...heap, server: 1024 * Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${server.pid}/status`, 'utf8'))[1]) };
  };
  await page.waitForTimeout(3000);
  const was = await measure();
  await page.waitForTimeout(60000 * minutes);
  await until(page, (n) => window.fathom.counts.frames > n + 40, was.frames, 50000);
  const is = await measure();
  console.log(`# ${is.frames - was.frames} frames: page ${was.bytes} to ${is.bytes} bytes, server ${was.server} to ${is.server}`);
  assert.ok(is.frames - was.frames >= 9 * 60 * minutes, `${is.frames - was.frames} frames`);
  // A frame's messages are 90 kB; page and server keep much less than that for each frame.
  assert.ok(is.bytes - was.bytes < 2e6, `the page grew by ${is.bytes - was.bytes} bytes`);
  assert.ok(is.server - was.server < 4e6, `the server grew by ${is.server - was.server} bytes`);
});
