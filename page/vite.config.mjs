// SPDX-License-Identifier: MIT
import { readFileSync } from 'node:fs';
import { defineConfig } from 'vite';

const three = readFileSync(new URL('node_modules/three/LICENSE', import.meta.url), 'utf8').trim();

// The names have no hashes: the server embeds exactly these three files.
export default defineConfig({
  base: './',
  build: {
    assetsDir: '',
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 1000,
    cssCodeSplit: false,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    target: 'es2022',
    rollupOptions: { output: { banner: `/*! fathom, MIT. Contains three.js:\n${three}\n*/`, entryFileNames: 'app.js', assetFileNames: 'app[extname]' } },
  },
});
