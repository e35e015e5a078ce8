// SPDX-License-Identifier: MIT
// Loads modules of src, which are TypeScript, into node.
import { fileURLToPath } from 'node:url';
import { createServer } from 'vite';

const root = fileURLToPath(new URL('..', import.meta.url));
const vite = await createServer({ root, configFile: false, appType: 'custom', logLevel: 'error', optimizeDeps: { noDiscovery: true },
  server: { middlewareMode: true, hmr: false, ws: false, watch: null } });

export const load = (path) => vite.ssrLoadModule(`/src/${path}`);
export const done = () => vite.close();
