// SPDX-License-Identifier: MIT
// Chromium on the page of a fake server, for tests and pictures.
import { existsSync } from 'node:fs';
import { after, afterEach, before, test } from 'node:test';
import { chromium } from 'playwright-core';

const PLACES = [process.env.CHROMIUM, '/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
export const executablePath = PLACES.find((place) => place && existsSync(place));

export function launch(more = []) {
  return chromium.launch({
    executablePath,
    args: ['--no-sandbox', '--use-gl=angle', '--use-angle=swiftshader', '--enable-unsafe-swiftshader', ...more],
  });
}

/** Opens the page; what the browser complains about is collected in page.complaints. */
export async function open(browser, server, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 860 }, colorScheme: 'dark', ...options });
  const page = await context.newPage();
  page.complaints = [];
  page.on('pageerror', (error) => page.complaints.push(String(error)));
  page.on('console', (message) => message.type() === 'error' && page.complaints.push(message.text()));
  await page.goto(`http://127.0.0.1:${server.port}/`);
  return page;
}

export function until(page, condition, argument, timeout = 20000) {
  return page.waitForFunction(condition, argument, { timeout, polling: 50 });
}

export const firstFrame = (page) => until(page, () => window.fathom?.counts.frames > 0);

export let browser;
const skip = executablePath ? false : 'Chromium is not installed';

/** Gives the tests of a file one browser, and each test new pages. SOAK_MINUTES lengthens tests. */
export function useBrowser() {
  before(async () => { browser = skip || (await launch(['--js-flags=--expose-gc'])); });
  after(() => skip || browser.close());
  afterEach(() => Promise.all(skip ? [] : browser.contexts().map((context) => context.close())));
}

export const check = (name, run) => test(name, { skip, timeout: 60000 + 60000 * Number(process.env.SOAK_MINUTES ?? 0) }, run);

/** Number and standard deviation of the errors that the page shows. */
export const errors = (page) => page.evaluate(() => {
  const { frame } = window.fathom;
  const known = [...frame.error.subarray(0, frame.count)].filter(Number.isFinite);
  return { n: known.length, stddev: Math.sqrt(known.reduce((sum, e) => sum + e * e, 0) / known.length) };
});
