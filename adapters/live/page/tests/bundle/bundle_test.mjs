// SPDX-License-Identifier: MIT
import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { test } from 'node:test';
import { build } from 'vite';

const page = fileURLToPath(new URL('../..', import.meta.url));

test('the committed bundle is what the source builds', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'fathom-page-'));
  try {
    await build({ root: page, configFile: join(page, 'vite.config.mjs'), logLevel: 'error', build: { outDir: folder, emptyOutDir: true } });
    const names = ['app.css', 'app.js', 'index.html'];
    assert.deepEqual(readdirSync(folder).sort(), names);
    assert.deepEqual(readdirSync(join(page, 'dist')).sort(), names);
    for (const name of names) {
      assert.ok(readFileSync(join(folder, name)).equals(readFileSync(join(page, 'dist', name))),
        `adapters/live/page/dist/${name} is not what adapters/live/page/src builds; run \`npm run build\` in adapters/live/page and commit adapters/live/page/dist`);
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('the bundle names nothing outside itself', () => {
  for (const name of ['index.html', 'app.css']) {
    const text = readFileSync(join(page, 'dist', name), 'utf8').replaceAll('http://www.w3.org/2000/svg', '');
    assert.doesNotMatch(text, /https?:|@import|<style|style="|<script>/, name);
  }
  assert.doesNotMatch(readFileSync(join(page, 'dist', 'app.js'), 'utf8'), /\beval\(|new Function\(/);
});
