// SPDX-License-Identifier: MIT
// Takes pictures of the live page for tools/pictures, with the program that FATHOM names, in a folder that holds examples/
// and out/house:  node tests/browser/pictures.mjs FOLDER NAME...
import { start } from '../server/server.mjs';
import { firstFrame, launch, open, until } from './browser.mjs';

const light = { colorScheme: 'light' };
const HOUSE = ['serve', 'examples/house/house.yaml'];
const PICTURES = {
  live_house: { words: HOUSE },
  live_light: { words: HOUSE, options: light, keys: ['4', 'c', 'c'] },
  live_camera: { words: HOUSE, options: light, keys: ['2'], sensor: 'camera' },
  live_view: { words: ['view', 'out/house'], keys: ['2'] },
  live_phone: { words: HOUSE, options: { viewport: { width: 390, height: 844 } }, keys: ['2'] },
};

async function take(browser, folder, name) {
  const { words, options, keys = [], sensor } = PICTURES[name];
  const server = await start([...words, '--port', '0'], folder);
  const page = await open(browser, server, options);
  await firstFrame(page);
  if (sensor) {
    await page.getByRole('combobox', { name: 'Sensor' }).selectOption(sensor);
    await until(page, () => window.fathom.frame.count > 0);
  }
  for (const key of keys) {
    await page.keyboard.press(key);
  }
  await page.waitForTimeout(3000);
  await page.screenshot({ path: `${folder}/${name}.png` });
  await page.context().close();
  await server.stop();
  if (page.complaints.length > 0) {
    throw new Error(`${name}: ${page.complaints}`);
  }
}

const [folder, ...names] = process.argv.slice(2);
const browser = await launch();
for (const name of names) {
  await take(browser, folder, name);
}
await browser.close();
