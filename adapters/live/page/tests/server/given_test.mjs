// SPDX-License-Identifier: MIT
// A depth image of another program in the page: `fathom serve --given`.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach } from 'node:test';
import { browser, check, firstFrame, open, until, useBrowser } from '../browser/browser.mjs';
import { start } from './server.mjs';

const [ROWS, COLS] = [48, 64];
const SCENE = `
scene: {meshes: {}, entities: []}
sensors:
  - {name: camera, type: stereo_camera, width: 32, height: 24, horizontal_fov_deg: 60, baseline_m: 0.1,
     noise: [disparity: {stddev_px: 0.02}, dropout: {probability: 0.1}]}
`;
let folder;
let server;

/** Writes a wall at a depth, in front of it a box, as an array of NumPy. */
function writeImage(file, wall) {
  const head = `{'descr': '<f4', 'fortran_order': False, 'shape': (${ROWS}, ${COLS}), }`.padEnd(117) + '\n';
  const depths = Float32Array.from({ length: ROWS * COLS }, (_, i) => (i % COLS > 20 && i % COLS < 30 ? 1 : wall));
  writeFileSync(file, Buffer.concat([Buffer.from('\x93NUMPY\x01\x00\x76\x00', 'latin1'), Buffer.from(head), Buffer.from(depths.buffer)]));
}

useBrowser();
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'fathom-given-'));
  writeImage(`${folder}/depth.npy`, 2);
  writeFileSync(`${folder}/scene.yaml`, SCENE);
  server = await start(['serve', `${folder}/scene.yaml:camera`, '--given', `${folder}/depth.npy`, '--camera', '60,60,31.5,23.5,0.05', '--port', '0', '--paused']);
});
afterEach(async () => {
  await server.stop();
  rmSync(folder, { recursive: true });
});

const errors = (page) => page.evaluate(() => [...window.fathom.frame.error.subarray(0, window.fathom.frame.count)].filter(Number.isFinite));
const spread = (values) => Math.sqrt(values.reduce((sum, e) => sum + e * e, 0) / values.length);
const pixels = (page, name) => page.getByRole('img', { name, exact: true }).evaluate((canvas) =>
  [canvas.width, canvas.height, ...canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data].join());

check('a given image is shown clean and noisy, and a knob changes only the noisy one', async () => {
  const page = await open(browser, server);
  await firstFrame(page);
  await page.getByRole('img', { name: 'Clean depth' }).waitFor();
  await page.getByRole('img', { name: 'Depth', exact: true }).waitFor();
  const [clean, noisy, before] = [await pixels(page, 'Clean depth'), await pixels(page, 'Depth'), spread(await errors(page))];
  assert.ok(clean.startsWith(`${COLS},${ROWS},`));
  assert.notEqual(noisy, clean);
  const box = page.getByRole('spinbutton', { name: 'stddev' }).first();
  await box.fill('0.1');
  await box.press('Enter');
  await until(page, (was) => {
    const { frame } = window.fathom;
    const known = [...frame.error.subarray(0, frame.count)].filter(Number.isFinite);
    return Math.sqrt(known.reduce((sum, e) => sum + e * e, 0) / known.length) > 3 * was;
  }, before);
  assert.equal(await pixels(page, 'Clean depth'), clean);
  const index = () => page.evaluate(() => window.fathom.statistics.frame);
  assert.equal(await index(), 0);
  await box.blur();  // keys are the page's again
  await page.keyboard.press('.');
  await until(page, () => window.fathom.statistics.frame === 1);
  assert.deepEqual(page.complaints, []);
});

check('an image that is saved again is shown, and an error of it is said', async () => {
  const page = await open(browser, server);
  await firstFrame(page);
  writeFileSync(`${folder}/depth.npy`, 'no image');
  await page.locator('.banner', { hasText: 'depth.npy' }).waitFor();
  writeImage(`${folder}/depth.npy`, 3);
  await page.locator('.banner').waitFor({ state: 'hidden' });
  await until(page, () => Math.max(...window.fathom.frame.cleanRange) > 3);
});
