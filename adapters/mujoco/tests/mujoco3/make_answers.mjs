// SPDX-License-Identifier: MIT
// Writes answers.json: what MuJoCo 3.3.8 makes of some models, and what its mj_ray and its cameras say of them. For those
// who change the mirror; the tests need the file alone. MuJoCo comes as WebAssembly from npm:
//
//   npm install --prefix /tmp/mujoco-js mujoco-js@0.0.7
//   node adapters/mujoco/tests/mujoco3/make_answers.mjs /tmp/mujoco-js > adapters/mujoco/tests/mujoco3/answers.json

import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

const folder = process.argv[2] ?? '.';
const { default: load } = await import(pathToFileURL(`${folder}/node_modules/mujoco-js/dist/mujoco_wasm.js`));
const mujoco = await load();
mujoco.FS.mkdir('/work');
mujoco.FS.mount(mujoco.MEMFS, { root: '.' }, '/work');

// The same numbers for the same seed (mulberry32).
function numbersOf(seed) {
  let state = seed >>> 0;
  return (low, high) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return low + (high - low) * (((t ^ (t >>> 14)) >>> 0) / 4294967296);
  };
}

const kSegments = 64;  // of the mirror's round geoms
const kSphere = 1 - Math.sin(Math.PI / kSegments) ** 2, kCylinder = Math.cos(Math.PI / kSegments);

function starMesh(name, numbers) {
  const corners = [];
  for (let axis = 0; axis < 3; ++axis) {
    for (const sign of [1, -1]) {
      for (let k = 0; k < 3; ++k) corners.push(k === axis ? sign * numbers(0.2, 0.9) : 0);
    }
  }
  return `<mesh name="${name}" vertex="${corners.join(' ')}" ` +
    'face="0 2 4 2 1 4 1 3 4 3 0 4 2 0 5 1 2 5 3 1 5 0 3 5"/>';
}

function geomText(type, numbers, deep) {
  const s = deep ? kSphere : 1, c = deep ? kCylinder : 1;
  const [x, y, z] = [numbers(0.2, 0.6), numbers(0.2, 0.6), numbers(0.2, 0.6)];
  switch (type) {
    case 0: return `type="plane" size="${x} ${y} 1"`;
    case 1: return 'type="hfield" hfield="hills"';
    case 2: return `type="sphere" size="${x * s}"`;
    case 3: return `type="capsule" size="${x * s} ${y}"`;
    case 4: return `type="ellipsoid" size="${x * s} ${y * s} ${z * s}"`;
    case 5: return `type="cylinder" size="${x * c} ${y}"`;
    case 6: return `type="box" size="${x} ${y} ${z}"`;
    default: return 'type="mesh" mesh="star"';
  }
}

// All types of geoms above a floor, in cells of 3 m that none leaves; `deep`: round ones as small as their meshes can be.
function modelText(seed, deep) {
  const numbers = numbersOf(seed);
  const star = starMesh('star', numbers);
  const heights = Array.from({ length: 54 }, () => numbers(0, 1).toFixed(4)).join(' ');
  let bodies = '';
  for (let cell = 0; cell < 12; ++cell) {
    const type = cell < 8 ? cell : Math.floor(numbers(2, 8));
    const place = `${3 * (cell % 3 - 1)} ${3 * (Math.floor(cell / 3) % 3 - 1)} ${1.6 + 3 * Math.floor(cell / 9)}`;
    const quat = [numbers(-1, 1), numbers(-1, 1), numbers(-1, 1), numbers(0.1, 1)].join(' ');
    const geom = geomText(type, numbers, deep), group = Math.floor(numbers(-1, 8));
    const material = numbers(0, 1) < 0.3 ? ` material="${numbers(0, 1) < 0.4 ? 'glass' : 'wood'}"` : '';
    const alpha = numbers(0, 1) < 0.15 ? ' rgba="1 1 1 0"' : '';
    const name = numbers(0, 1) < 0.5 ? ` name="thing ${cell}"` : '';
    const text = `<geom${name} group="${group}" ${geom}${material}${alpha}`;
    const flat = `1 0 0 ${numbers(-1, 1)}`, joint = numbers(0, 1) < 0.5 ? '<freejoint/>' : '';
    if (type < 2) {
      bodies += `${text} pos="${place}" quat="${type === 0 ? quat : flat}"/>`;
    } else {
      bodies += `<body name="body ${cell}" pos="${place}" quat="${quat}">${joint}` +
        `<inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>${text} pos="0.1 -0.2 0.3"/></body>`;
    }
  }
  return `<mujoco><asset>${star}<hfield name="hills" nrow="6" ncol="9" size="1 0.8 0.5 0.3" elevation="${heights}"/>
    <material name="glass" rgba="1 1 1 0"/><material name="wood" rgba="1 .5 0 1"/></asset><worldbody>
    <geom name="floor" type="plane" size="0 0 1"/>${bodies}
    <camera name="lens" pos="-8 1 3" xyaxes="0 -1 0 0.2 0 1" resolution="64 48" sensorsize="0.004 0.003"
            focal="0.003 0.0032" principal="0.0003 0.0002"/>
    <camera name="fovy" pos="8 -1 4" xyaxes="0 1 0 -0.3 0 1" fovy="50"/>
    <site name="mast" pos="1 2 6" quat="1 .1 .2 .3"/></worldbody></mujoco>`;
}

function loadModel(text) {
  mujoco.FS.writeFile('/work/model.xml', text);
  const model = mujoco.MjModel.loadFromXML('/work/model.xml');
  const data = new mujoco.MjData(model);
  mujoco.mj_forward(model, data);
  return { model, data };
}

const short = (array) => Array.from(array, (x) => Number(x.toPrecision(array instanceof Float64Array ? 13 : 9)));

// Arrays as <mujoco/mujoco.h> names them.
const kCounts = ['nbody', 'ngeom', 'nsite', 'ncam', 'nmesh', 'nhfield', 'nmat'];
const kModel = ['body_weldid', 'geom_type', 'geom_bodyid', 'geom_dataid', 'geom_matid', 'geom_group', 'geom_size', 'geom_rgba',
  'site_bodyid', 'cam_bodyid', 'cam_fovy', 'cam_resolution', 'cam_sensorsize', 'cam_intrinsic', 'mesh_vertadr', 'mesh_vertnum',
  'mesh_faceadr', 'mesh_facenum', 'mesh_vert', 'mesh_face', 'hfield_size', 'hfield_nrow', 'hfield_ncol', 'hfield_adr',
  'hfield_data', 'mat_rgba', 'name_bodyadr', 'name_geomadr', 'name_siteadr', 'name_camadr'];
const kData = ['geom_xpos', 'geom_xmat', 'site_xpos', 'site_xmat', 'cam_xpos', 'cam_xmat'];

function describe({ model, data }) {
  const made = { names: Array.from(model.names) };
  for (const name of kCounts) made[name] = model[name];
  for (const name of kModel) made[name] = short(model[name]);
  for (const name of kData) made[name] = short(data[name]);
  return made;
}

function randomRays(seed, count) {
  const numbers = numbersOf(seed ^ 0x9e3779b9);
  const rays = { origins: [], directions: [] };
  for (let i = 0; i < count; ++i) {
    const u = numbers(-1, 1), turn = numbers(0, 2 * Math.PI), r = Math.sqrt(1 - u * u);
    const from = [12 * r * Math.cos(turn), 12 * r * Math.sin(turn), 12 * u + 0.5].map(Math.fround);
    const way = [numbers(-4.5, 4.5), numbers(-4.5, 4.5), numbers(0, 5)].map((x, k) => x - from[k]);
    const length = Math.hypot(...way);
    rays.origins.push(...from);
    rays.directions.push(...way.map((x) => Math.fround(x / length)));
  }
  return rays;
}

function answers({ model, data }, rays, filter) {
  const geoms = [], ranges = [];
  const geom = new mujoco.IntBuffer(1);
  for (let i = 0; i < rays.origins.length; i += 3) {
    const range = mujoco.mj_ray(model, data, rays.origins.slice(i, i + 3), rays.directions.slice(i, i + 3), filter.groups,
      filter.statics ? 1 : 0, filter.body, geom);
    geoms.push(geom.GetView()[0]);
    ranges.push(Number(range.toPrecision(10)));
  }
  return { geoms, ranges };
}

// What MuJoCo's renderer would look through: half width, and edges of the image, on a plane at distance 1.
function frustum({ model, data }, camera) {
  const view = new mujoco.MjvCamera(), scene = new mujoco.MjvScene(model, 100);
  view.type = 2;  // mjCAMERA_FIXED
  view.fixedcamid = camera;
  mujoco.mjv_updateScene(model, data, new mujoco.MjvOption(), new mujoco.MjvPerturb(), view, 7, scene);
  const gl = scene.camera.get(0), near = gl.frustum_near;
  return { center: gl.frustum_center / near, half_width: gl.frustum_width / near, bottom: gl.frustum_bottom / near,
    top: gl.frustum_top / near };
}

const cases = [];
for (let seed = 1; seed <= 6; ++seed) {
  const numbers = numbersOf(1000 + seed), all = seed <= 2;
  const filter = { groups: [1, 1, 1, 1, 1, 1], statics: true, body: -1 };
  if (!all) {
    filter.groups = filter.groups.map((_, g) => (g === 0 || numbers(0, 1) < 0.6 ? 1 : 0));
    filter.statics = seed % 2 === 0;
    filter.body = 1 + seed;
  }
  const exact = loadModel(modelText(seed, false)), deep = loadModel(modelText(seed, true));
  const rays = randomRays(seed, 400);
  cases.push({ seed, model: describe(exact), filter, rays: { origins: rays.origins.map((x) => Number(x.toPrecision(9))),
    directions: rays.directions.map((x) => Number(x.toPrecision(9))) },
    nearest: answers(exact, rays, filter), farthest: answers(deep, rays, filter),
    frustums: seed === 1 ? [frustum(exact, 0), frustum(exact, 1)] : [] });
}

// The walk of examples/mujoco/walker.py, second by second.
function recordWalk() {
  const text = readFileSync(new URL('../../../../examples/mujoco/walker.xml', import.meta.url), 'utf8');
  const { model, data } = loadModel(text);
  const made = { nu: model.nu, timestep: 0.002, model: describe({ model, data }), poses: [] };
  for (let second = 0; second <= 3; ++second) {
    while (data.time < second) {
      for (let leg = 0; leg < model.nu / 2; ++leg) {
        const phase = 4 * Math.PI * data.time + (leg === 0 || leg === 2 || leg === 4 ? 0 : Math.PI);
        data.ctrl[2 * leg] = 0.35 * Math.cos(phase);
        data.ctrl[2 * leg + 1] = 0.45 * Math.max(0, Math.sin(phase));
      }
      mujoco.mj_step(model, data);
    }
    mujoco.mj_forward(model, data);
    made.poses.push(Object.fromEntries(kData.map((name) => [name, short(data[name])])));
  }
  return made;
}

const lines = cases.map((one) => JSON.stringify(one));
process.stdout.write(`{"mujoco": "${mujoco.mj_versionString()}", "segments": ${kSegments}, "cases": [\n${lines.join(',\n')}\n],\n` +
  `"walk": ${JSON.stringify(recordWalk())}}\n`);
