// SPDX-License-Identifier: MIT
// A small scene for tests, and the knobs of its lidar.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export const STDDEV = 'sensors.lidar.noise.0.stddev_m';
export const PROBABILITY = 'sensors.lidar.noise.1.probability';
export const SCENE = `
scene:
  meshes: {room: {box: {size_m: [8, 6, 3]}}}
  entities: [{name: room, mesh: room, position_m: [0, 0, 1]}]
sensors:
  - name: lidar
    preset: VLP-16
    columns: 256
    position_m: [0, 0, 1]
    noise: [{distance: {stddev_m: 0.02, stddev_per_m: 0}}, {dropout: {probability: 0.1}}]
  - {name: camera, type: pinhole_camera, width: 32, height: 24, fx: 32, fy: 32, cx: 15.5, cy: 11.5, max_range_m: 20, position_m: [0, 0, 1]}
rate_hz: 10
`;

/** A folder of its own with the scene in it; `remove` takes it away. */
export function sceneFile() {
  const folder = mkdtempSync(join(tmpdir(), 'fathom-page-'));
  const path = join(folder, 'scene.yaml');
  writeFileSync(path, SCENE);
  return { path, folder, write: (text) => writeFileSync(path, text), remove: () => rmSync(folder, { recursive: true }) };
}
