// SPDX-License-Identifier: MIT
// Takes the pictures of docs/images from the fake server:  node tests/browser/pictures.mjs FOLDER
import { FakeServer } from '../fake_server.mjs';
import { firstFrame, launch, open } from './browser.mjs';

const folder = process.argv[2];
const server = await new FakeServer({ rows: 64, cols: 512 }).listen();
server.state.time_s = 6;
const browser = await launch();

async function take(name, options, prepare) {
  const page = await open(browser, server, options);
  await firstFrame(page);
  await prepare(page);
  await page.waitForTimeout(1500);
  await page.screenshot({ path: `${folder}/live_${name}.png`, fullPage: options.full ?? false });
  if (page.complaints.length > 0) {
    console.log(name, page.complaints);
  }
  await page.context().close();
}

await take('dark', {}, async (page) => page.waitForTimeout(4000));
await take('light', { colorScheme: 'light' }, async (page) => {
  await page.keyboard.press('4');
  await page.keyboard.press('c');
  await page.keyboard.press('c');
});
await take('camera', { colorScheme: 'light' }, async (page) => {
  await page.keyboard.press('n');
  await page.keyboard.press('2');
});
await take('reason', {}, async (page) => page.keyboard.press('3'));
await take('phone', { viewport: { width: 360, height: 740 }, deviceScaleFactor: 2, full: true }, async () => {});
await take('help', {}, async (page) => page.keyboard.press('?'));
await browser.close();
await server.close();
