// SPDX-License-Identifier: MIT
// Chromium on the page of a fake server, for tests and pictures.
import { existsSync } from 'node:fs';
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
