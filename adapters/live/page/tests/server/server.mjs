// SPDX-License-Identifier: MIT
// The real server, such as `fathom serve SCENE`, on a free port. The program is FATHOM, or that of build/release.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { createInterface } from 'node:readline';

const root = fileURLToPath(new URL('../../../../../', import.meta.url));
export const program = [process.env.FATHOM, `${root}build/release/bin/fathom`].find((path) => path && existsSync(path));

export const serve = (scene, ...options) => serveOn(0, scene, ...options);

export const serveOn = (port, scene, ...options) => start(['serve', scene, '--port', String(port), ...options]);

export async function start(words, cwd) {
  const child = spawn(program, words, { stdio: ['ignore', 'pipe', 'ignore'], cwd });
  const line = await new Promise((resolve, reject) => {
    createInterface({ input: child.stdout }).once('line', resolve);
    child.once('exit', (code) => reject(new Error(`fathom ${words[0]} ended with ${code}`)));
  });
  const stopped = new Promise((resolve) => child.once('exit', resolve));
  return {
    pid: child.pid,
    port: Number(/:(\d+)\/$/.exec(line)[1]),
    async stop() {
      child.kill('SIGINT');
      return stopped;
    },
  };
}
