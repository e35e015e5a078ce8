// SPDX-License-Identifier: MIT
// mj_ray of MuJoCo 3.3.8, which has trees over the triangles of a mesh, for the rays of bench_mujoco.cpp: as WebAssembly from
// npm, on one thread, and so slower than an installed MuJoCo.
//
//   npm install --prefix /tmp/mujoco-js mujoco-js@0.0.7
//   build/release/bin/bench_mujoco /tmp/world.xml
//   node bench/mujoco3_rays.mjs /tmp/mujoco-js /tmp/world.xml

import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

const [folder, file] = process.argv.slice(2);
const { default: load } = await import(pathToFileURL(`${folder}/node_modules/mujoco-js/dist/mujoco_wasm.js`));
const mujoco = await load();
mujoco.FS.mkdir('/work');
mujoco.FS.mount(mujoco.MEMFS, { root: '.' }, '/work');
mujoco.FS.writeFile('/work/world.xml', readFileSync(file));
const model = mujoco.MjModel.loadFromXML('/work/world.xml'), data = new mujoco.MjData(model);
mujoco.mj_forward(model, data);

const kWidth = 160, kHeight = 120, kHalfBaseline = 0.025, kStep = 7;
const focal = 0.5 * kHeight / Math.tan(0.5 * model.cam_fovy[0] * Math.PI / 180);
const eye = Array.from(data.cam_xpos), turn = Array.from(data.cam_xmat), geom = new mujoco.IntBuffer(1);
const add = (a, s, b) => a.map((x, k) => x + s * b[k]);
const right = [turn[0], turn[3], turn[6]];

function castFrame() {
  let rays = 0, primary = 0;
  for (let i = 0; i < kWidth * kHeight; i += kStep, ++primary) {
    const x = (i % kWidth + 0.5 - kWidth / 2) / focal, y = -(Math.floor(i / kWidth) + 0.5 - kHeight / 2) / focal;
    const length = Math.hypot(x, y, 1), local = [x / length, y / length, -1 / length];
    const way = [0, 1, 2].map((r) => turn[3 * r] * local[0] + turn[3 * r + 1] * local[1] + turn[3 * r + 2] * local[2]);
    const range = mujoco.mj_ray(model, data, eye, way, [1, 1, 1, 1, 1, 1], 1, -1, geom);
    ++rays;
    if (range < 0) continue;
    for (const side of [kHalfBaseline, -kHalfBaseline]) {
      const camera = add(eye, side, right);
      mujoco.mj_ray(model, data, camera, add(add(eye, range, way), -1, camera), [1, 1, 1, 1, 1, 1], 1, -1, geom);
      ++rays;
    }
  }
  return { rays, primary };
}

const times = [];
for (let round = 0; round < 11; ++round) {
  const start = process.cpuUsage();
  const { rays, primary } = castFrame();
  const spent = process.cpuUsage(start);
  times.push({ frame: (spent.user + spent.system) / 1e3 * kWidth * kHeight / primary, ray: (spent.user + spent.system) / rays });
}
times.sort((a, b) => a.frame - b.frame);
console.log(`MuJoCo ${mujoco.mj_versionString()}: ${times[5].frame.toFixed(0)} ms a frame, ${times[5].ray.toFixed(2)} us a ray; least ` +
  `${times[0].frame.toFixed(0)} ms`);
