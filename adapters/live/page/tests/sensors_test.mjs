// SPDX-License-Identifier: MIT
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, test } from 'node:test';
import { done, load } from './source.mjs';

const { sensorNames, wantedTopics } = await load('data/sensors.ts');
const { readFrame, serviceRequest } = await load('protocol/wire.ts');
const { columnShifts } = await load('data/frame.ts');
const { css, entityColour, reasonColour } = await load('view/colours.ts');
after(done);

test('sensors come from the state, or from the names of topics', () => {
  const topics = ['/tf', '/front/lidar/points', '/camera/image', '/camera/points', '/camera/camera_info'];
  assert.deepEqual(sensorNames(null, topics), ['front/lidar', 'camera']);
  assert.deepEqual(sensorNames({ sensors: [{ name: 'laser' }] }, topics), ['laser']);
  assert.ok(wantedTopics('laser').includes('/laser/points'));
  assert.ok(!wantedTopics('').some((topic) => topic.startsWith('//')));
});

test('binary frames: messages, times and answers; what is cut is none', () => {
  const frame = (bytes) => readFrame(new DataView(Uint8Array.from(bytes).buffer));
  const message = frame([1, 5, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 42]);
  assert.deepEqual([message.op, message.subscription, message.stampNs, message.payload.getUint8(0)], ['message', 5, 256n, 42]);
  assert.equal(frame([2, 7, 0, 0, 0, 0, 0, 0, 0]).stampNs, 7n);
  const answer = [3, 1, 0, 0, 0, 2, 0, 0, 0, 4, 0, 0, 0, ...Buffer.from('json{}')];
  assert.deepEqual([frame(answer).service, frame(answer).call, frame(answer).encoding, frame(answer).payload.byteLength], [1, 2, 'json', 2]);
  for (const bytes of [[], [1], [1, 5, 0, 0, 0], [2, 7], answer.slice(0, 15), [9, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]]) {
    assert.equal(frame(bytes), null);
  }
});

test('a request of a service holds its numbers, its encoding and its JSON', () => {
  const view = new DataView(serviceRequest(3, 258, { paused: true }).buffer);
  assert.deepEqual([view.getUint8(0), view.getUint32(1, true), view.getUint32(5, true), view.getUint32(9, true)], [2, 3, 258, 4]);
  assert.equal(Buffer.from(view.buffer, 13).toString(), 'json{"paused":true}');
});

/** Directions of a lidar whose rows look `offsets` columns ahead, over `span` radians. */
function directions(offsets, cols, span) {
  return Float32Array.from(offsets.flatMap((offset) => Array.from({ length: cols }, (_, col) => {
    const angle = 1 - (span * (col + offset)) / cols;
    return [Math.cos(angle), Math.sin(angle), 0.3];
  }).flat()));
}

test('rows of a staggered lidar are moved into line, and rows of other sensors stay', () => {
  const offsets = [9, 3, -3, -9];
  assert.deepEqual([...columnShifts(directions(offsets, 128, 2 * Math.PI), 4, 128)], offsets);
  assert.deepEqual([...columnShifts(directions(offsets, 128, -2 * Math.PI), 4, 128)], offsets);
  assert.deepEqual([...columnShifts(directions(offsets, 128, Math.PI), 4, 128)], [0, 0, 0, 0]);
});

test('entities and reasons have the colours of the pictures', () => {
  const page = readFileSync(new URL('../../../../docs/output-formats.md', import.meta.url), 'utf8');
  const reasons = [...page.matchAll(/^\| (\d+) \| `\w+` \| (\d+) (\d+) (\d+) \|/gm)];
  assert.ok(reasons.length > 16);
  for (const [, number, ...rgb] of reasons) {
    assert.equal(css(reasonColour(Number(number))), `rgb(${rgb.join(', ')})`);
  }
  const entities = Array.from({ length: 24 }, (_, id) => css(entityColour(id)));
  assert.equal(new Set(entities).size, 24);
  assert.deepEqual(entities.slice(0, 3), ['rgb(242, 109, 109)', 'rgb(48, 105, 242)', 'rgb(204, 242, 150)']);
  assert.equal(css(entityColour(0xffffffff)), 'rgb(150, 150, 150)');
});
