// SPDX-License-Identifier: MIT
// The page in a real Chromium against the fake server. SOAK_MINUTES=30 makes the soak long.
import assert from 'node:assert/strict';
import { afterEach, beforeEach } from 'node:test';
import { FakeServer } from '../fake_server.mjs';
import { browser, check, errors, firstFrame, open, until, useBrowser } from './browser.mjs';

let server;

useBrowser();
beforeEach(async () => { server = await new FakeServer().listen(); });
afterEach(() => server.close());

/** How many different colours the 3-D view shows, and how many of its pixels are not the ground. */
const picture = (page) => page.evaluate(() => {
  const { canvas } = window.fathom.layout;
  window.fathom.view.draw();
  const copy = new OffscreenCanvas(canvas.width, canvas.height).getContext('2d');
  copy.drawImage(canvas, 0, 0);
  const words = new Uint32Array(copy.getImageData(0, 0, canvas.width, canvas.height).data.buffer);
  return { colours: new Set(words).size, painted: words.filter((word) => word !== words[words.length - 1]).length };
});
const range = (page) => page.evaluate(() => {
  const canvas = document.querySelector('.pixels');
  return [...canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data].join();
});

check('the first picture shows points, the browser complains of nothing, and paper is light', async () => {
  const page = await open(browser, server);
  await firstFrame(page);
  const first = await page.evaluate(() => window.fathom.counts.firstMs);
  console.log(`# first frame after ${Math.round(first)} ms`);
  const { colours, painted } = await picture(page);
  assert.ok(colours > 50 && painted > 2000, `${colours} colours, ${painted} pixels`);
  assert.deepEqual(page.complaints, []);
  await page.emulateMedia({ media: 'print' });
  await until(page, () => document.documentElement.dataset.theme === 'light');
});

check('a knob changes pixels and errors as the model says', async () => {
  server.state.paused = true;
  const page = await open(browser, server);
  await firstFrame(page);
  const before = await range(page);
  await page.getByRole('spinbutton', { name: 'stddev' }).fill('0.2');
  await page.keyboard.press('Enter');
  await until(page, () => document.querySelector('.figures').textContent.includes('σ 0.'));
  const { n, stddev } = await errors(page);
  // The standard error of a standard deviation is stddev / sqrt(2 n); five of them are allowed.
  assert.ok(Math.abs(stddev - 0.2) < (5 * 0.2) / Math.sqrt(2 * n), `${stddev}`);
  assert.notEqual(await range(page), before);
});

check('a slider sends values within the limits, and a refused value is said and taken back', async () => {
  const page = await open(browser, server);
  await firstFrame(page);
  await page.getByRole('slider', { name: 'probability, slider' }).fill('1000');
  await until(page, () => window.fathom.frame.error.subarray(0, window.fathom.frame.count).every(Number.isNaN));
  assert.equal(server.value('lidar', 'probability'), 1);
  const box = page.getByRole('spinbutton', { name: 'probability' });
  await box.fill('7');
  await box.press('Enter');
  await page.getByText('is beyond its limits 0 to 1').waitFor();
  await until(page, () => document.getElementById('knob-sensors.lidar.noise.1.probability').value === '1');
  await page.getByRole('button', { name: 'Reset' }).click();
  await until(page, () => document.getElementById('knob-sensors.lidar.noise.1.probability').value === '0.02');
});

check('two clients see each other’s knobs', async () => {
  const [one, two] = [await open(browser, server), await open(browser, server)];
  await Promise.all([firstFrame(one), firstFrame(two)]);
  await one.getByRole('checkbox', { name: 'both sides' }).uncheck();
  await one.getByRole('combobox', { name: 'shape' }).selectOption('step');
  await until(two, () => !document.querySelector('.of-flag input').checked && document.querySelector('.of-choice select').value === 'step');
  await one.context().close();
  const seen = await two.evaluate(() => window.fathom.counts.frames);
  await until(two, (n) => window.fathom.counts.frames > n + 2, seen);
});

check('a page shows the scene’s error as text until it is mended, and goes on when a lost server comes back', async () => {
  const page = await open(browser, server);
  await firstFrame(page);
  server.state.error = 'room.yaml:7: <b>meshes</b> is not known';
  await page.locator('.banner', { hasText: '<b>meshes</b>' }).waitFor();
  server.state.error = null;
  await page.locator('.banner').waitFor({ state: 'hidden' });
  const { port } = server;
  await server.close();
  await page.getByText('The connection is lost').waitFor();
  const seen = await page.evaluate(() => window.fathom.counts.frames);
  server = await new FakeServer().listen(port);
  await until(page, (n) => window.fathom.counts.frames > n + 2, seen);
  assert.equal(await page.locator('.banner').isVisible(), false);
});

check('at 360 pixels nothing stands beyond the side', async () => {
  const page = await open(browser, server, { viewport: { width: 360, height: 740 } });
  await firstFrame(page);
  for (const key of ['1', '2', '3', '4', 'c', 'c', 'n', '?']) {
    await page.keyboard.press(key);
    await page.waitForTimeout(80);
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 360, key);
  }
  const beyond = await page.evaluate(() => [...document.querySelectorAll('button, input, select, canvas')]
    .filter((element) => element.getBoundingClientRect().right > 360).length);
  assert.equal(beyond, 0);
});

check('all keys do what the help says', async () => {
  const page = await open(browser, server);
  await firstFrame(page);
  const settings = () => page.evaluate(() => ({ ...window.fathom.settings }));
  for (const [key, mode] of [['2', 'entity'], ['3', 'reason'], ['4', 'error'], ['1', 'range']]) {
    await page.keyboard.press(key);
    assert.equal((await settings()).mode, mode);
  }
  await page.keyboard.press('c');
  assert.equal((await settings()).show, 'clean');
  await page.keyboard.press('p');
  await page.keyboard.press(']');
  assert.deepEqual([(await settings()).paths, (await settings()).pointSize], [false, 3]);
  const place = () => page.evaluate(() => window.fathom.view.camera.position.toArray());
  for (const key of ['ArrowLeft', 'ArrowUp', 'i', 'r']) {
    const was = await place();
    await page.keyboard.press(key);
    assert.notDeepEqual(await place(), was, key);
  }
  for (const key of [' ', '.', ',', '+', 'f', 'w']) {
    await page.keyboard.press(key);
    await page.waitForTimeout(60);
  }
  const called = server.log.filter((entry) => entry.service).map((entry) => entry.service);
  assert.deepEqual(called, ['pause', 'step', 'seek', 'speed', 'save_frame', 'save_scene']);
  await page.getByText('Wrote out/lidar_000012.pcd').waitFor();
  await page.getByText('nothing is written without --out').waitFor();
  await page.keyboard.press('k');
  await page.keyboard.press('Escape');
  await page.keyboard.press('?');
  assert.ok(await page.locator('dialog').isVisible());
  await page.keyboard.press('Escape');
  assert.equal(await page.locator('dialog').isVisible(), false);
});

check('digits typed into a field stay there, and angles are set in degrees and sent in radians', async () => {
  const page = await open(browser, server);
  await firstFrame(page);
  await page.getByRole('spinbutton', { name: 'stddev' }).press('3');
  assert.equal(await page.evaluate(() => window.fathom.settings.mode), 'range');
  const box = page.getByRole('spinbutton', { name: 'mean' });
  assert.equal(await box.inputValue(), '0.01');
  await box.fill('90');
  await box.press('Enter');
  await page.waitForTimeout(300);
  assert.ok(Math.abs(server.value('lidar', 'mean_rad') - Math.PI / 2) < 1e-9);
});

check('dark and light follow the system, and the switch keeps its choice', async () => {
  const page = await open(browser, server, { colorScheme: 'light' });
  const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const light = await ground();
  await page.emulateMedia({ colorScheme: 'dark' });
  await until(page, () => document.documentElement.dataset.theme === 'dark');
  const dark = await ground();
  assert.notEqual(light, dark);
  await page.keyboard.press('t');
  await page.keyboard.press('t');
  assert.equal(await ground(), light);
  await page.reload();
  await firstFrame(page);
  assert.equal(await ground(), light);
});

check('another sensor brings its images, knobs and viewpoint, and the first one is left', async () => {
  server.state.paused = true;
  const page = await open(browser, server);
  await firstFrame(page);
  const fromMiddle = () => page.evaluate(() => {
    const { frame, tree, view } = window.fathom;
    const before = view.controls.target.toArray();
    view.reset(frame);
    return Math.hypot(...view.controls.target.toArray().map((x, i) => x - before[i]));
  });
  assert.ok(await fromMiddle() < 1e-6);
  await page.getByRole('combobox', { name: 'Sensor' }).selectOption('camera');
  await until(page, () => window.fathom.frame.rows === 72);
  assert.ok(await fromMiddle() < 1e-6);
  server.state.paused = false;
  await page.getByText('Depth', { exact: true }).waitFor();
  assert.equal(await page.getByText('Range', { exact: true }).isVisible(), false);
  const lidar = server.id('/lidar/points');
  assert.ok([...server.clients].every((client) => !client.subscriptions.has(lidar)));
});

check('a note stands in for the first frame until it comes', async () => {
  const publish = server.publishFrame;
  server.publishFrame = () => {};
  const page = await open(browser, server);
  const note = page.getByText('Waiting for the first frame');
  await note.waitFor();
  server.publishFrame = publish;
  await note.waitFor({ state: 'hidden' });
});

check('at 1280 and 390 pixels no legend covers the cloud, no label another one, and no field cuts its digits', async () => {
  for (const width of [1280, 390]) {
    const page = await open(browser, server, { viewport: { width, height: 844 } });
    await firstFrame(page);
    await page.evaluate(() => {
      window.labels = [];
      const { fillText } = CanvasRenderingContext2D.prototype;
      CanvasRenderingContext2D.prototype.fillText = function record(text, x, y) {
        window.labels.push([this.textAlign, x, x + this.measureText(text).width, this.canvas.clientWidth]);
        fillText.call(this, text, x, y);
      };
    });
    for (const stddev of ['0.01', '0.0123', '0.2']) {
      await page.getByRole('spinbutton', { name: 'stddev' }).fill(stddev);
      await page.keyboard.press('Enter');
      await page.waitForTimeout(300);
    }
    const labels = await page.evaluate(() => window.labels);
    assert.ok(labels.length > 10);
    labels.forEach(([align, left, right, wide], i) => {
      const next = labels[i + 1]?.[1] ?? Infinity;
      assert.ok(align !== 'center' && left >= 0 && right <= wide && (next > right || next < left), `${width}: ${labels[i]}`);
    });
    const boxes = await page.evaluate(() => ({
      canvas: document.querySelector('.cloud').getBoundingClientRect().bottom,
      legend: document.querySelector('.legend.over').getBoundingClientRect().top,
      cut: [...document.querySelectorAll('input[type=number]')].filter((box) => box.scrollWidth > box.clientWidth).map((box) => box.value),
    }));
    assert.deepEqual(boxes.cut, []);
    assert.ok(width > 390 || boxes.legend >= boxes.canvas - 0.5, JSON.stringify(boxes));
    await page.context().close();
  }
});

check('nothing is drawn while the time stands still', async () => {
  const page = await open(browser, server);
  await firstFrame(page);
  await page.keyboard.press(' ');
  await until(page, () => window.fathom.state.paused);
  await page.waitForTimeout(500);
  const draws = () => page.evaluate(() => window.fathom.counts.draws);
  const was = await draws();
  await page.waitForTimeout(1000);
  assert.equal(await draws(), was);
});

check('memory does not grow at 10 Hz', async () => {
  const page = await open(browser, server);
  await firstFrame(page);
  await page.keyboard.press('c');
  await page.keyboard.press('c');
  const heap = () => page.evaluate(() => {
    window.gc();
    window.gc();
    const { renderer } = window.fathom.view;
    return { bytes: performance.memory.usedJSHeapSize, geometries: renderer.info.memory.geometries, frames: window.fathom.counts.frames };
  });
  await page.waitForTimeout(2000);
  const was = await heap();
  await page.waitForTimeout(60000 * Number(process.env.SOAK_MINUTES ?? 0));
  await until(page, (n) => window.fathom.counts.frames > n + 40, was.frames, 50000);
  const is = await heap();
  console.log(`# ${is.frames - was.frames} frames: heap ${was.bytes} to ${is.bytes} bytes`);
  assert.equal(is.geometries, was.geometries);
  // One frame's messages are 170 kB; the heap keeps much less than that for each frame.
  assert.ok(is.bytes - was.bytes < 2e6, `the heap grew by ${is.bytes - was.bytes} bytes`);
});
