// SPDX-License-Identifier: MIT
// Runs one part of the page's tests:  node adapters/live/page/tests/run.mjs installed|source|bundle|browser|server
// Ends with 77 and one line where what a part needs is not installed.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const page = fileURLToPath(new URL('..', import.meta.url));
const part = process.argv[2];

function leave(line) {
  console.log(`skipped: ${line}`);
  process.exit(77);
}

function installed() {
  const lock = JSON.parse(readFileSync(`${page}package-lock.json`, 'utf8')).packages;
  const wanted = JSON.parse(readFileSync(`${page}package.json`, 'utf8')).devDependencies;
  return Object.keys(wanted).every((name) => {
    const file = `${page}node_modules/${name}/package.json`;
    return existsSync(file) && JSON.parse(readFileSync(file, 'utf8')).version === lock[`node_modules/${name}`].version;
  });
}

if (Number(process.versions.node.split('.')[0]) < 20) {
  leave(`node ${process.versions.node} is older than 20, which vite needs`);
}
if (!installed()) {
  leave('adapters/live/page/node_modules does not hold what adapters/live/page/package-lock.json names; `npm ci` in adapters/live/page installs it');
}
if (part === 'installed') {
  process.exit(0);
}
if (part === 'server' && !(await import('./server/server.mjs')).program) {
  leave('there is no program fathom: FATHOM names it');
}
if (['browser', 'server'].includes(part) && !(await import('./browser/browser.mjs')).executablePath) {
  leave('Chromium is not installed');
}
const folder = { source: 'tests', bundle: 'tests/bundle', browser: 'tests/browser', server: 'tests/server' }[part];
const files = readdirSync(page + folder).filter((name) => name.endsWith('_test.mjs')).map((name) => `${folder}/${name}`);
process.exit(spawnSync(process.execPath, ['--test', ...files], { cwd: page, stdio: 'inherit' }).status ?? 1);
