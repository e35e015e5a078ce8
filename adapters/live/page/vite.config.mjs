// SPDX-License-Identifier: MIT
import { readFileSync } from 'node:fs';
import { defineConfig } from 'vite';

/** Puts the licence of three.js on top of the bundle that holds it. */
function licence() {
  const three = readFileSync(new URL('node_modules/three/LICENSE', import.meta.url), 'utf8').trim();
  return {
    name: 'licence',
    enforce: 'post',
    generateBundle: {
      order: 'post',
      handler(_, bundle) {
        bundle['app.js'].code = `/*! The page of fathom. It holds three.js:\n${three}\n*/\n${bundle['app.js'].code}`;
      },
    },
  };
}

// The names have no hashes: the server embeds exactly these three files.
export default defineConfig({
  base: './',
  plugins: [licence()],
  build: {
    assetsDir: '',
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 1000,
    cssCodeSplit: false,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    target: 'es2022',
    rollupOptions: { output: { entryFileNames: 'app.js', assetFileNames: 'app[extname]' } },
  },
});
