// SPDX-License-Identifier: MIT
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { CdrWriter, depthImage, pointCloud, transforms } from './cdr_writer.mjs';
import { random } from './fake_world.mjs';
import { done, load } from './source.mjs';

const { copyDepth, copyField, readImage, readPointCloud, readTransforms } = await load('cdr/messages.ts');
const { CdrReader } = await load('cdr/reader.ts');
const { Frame } = await load('data/frame.ts');
after(done);

const view = (bytes) => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
const near = (a, b, by = 1e-6) => assert.ok(Math.abs(a - b) <= by, `${a} and ${b} differ by more than ${by}`);

test('a reader aligns values to their size after the head', () => {
  const cdr = new CdrReader(view(new CdrWriter().u8(7).u32(8).u8(9).f64(0.5).string('ab').u8(1).i32(-3).end()));
  assert.deepEqual([cdr.u8(), cdr.u32(), cdr.u8(), cdr.f64(), cdr.string(), cdr.u8(), cdr.i32()], [7, 8, 9, 0.5, 'ab', 1, -3]);
});

test('points of any layout come back as they were written', () => {
  const next = random(5);
  for (let round = 0; round < 60; ++round) {
    const rows = 1 + Math.floor(5 * next());
    const cols = 1 + Math.floor(7 * next());
    const plane = () => Float32Array.from({ length: rows * cols }, () => 20 * next() - 10);
    const ids = Uint32Array.from({ length: rows * cols }, () => 4294967296 * next());
    const reasons = Uint8Array.from({ length: rows * cols }, () => 256 * next());
    const [x, y, z] = [plane(), plane(), plane()];
    const frame = 'f'.repeat(round % 9);
    const bytes = pointCloud({ time: 12.25, frame, rows, cols, padding: round % 4, rowPadding: round % 3, little: round % 2 === 0,
      fields: [['reason', 2, reasons], ['x', 7, x], ['y', 7, y], ['entity', 6, ids], ['z', 7, z]] });
    const cloud = readPointCloud(view(bytes));
    assert.deepEqual([cloud.stamp, cloud.frame, cloud.rows, cloud.cols], [12.25, frame, rows, cols]);
    const points = new Float32Array(3 * rows * cols);
    ['x', 'y', 'z'].forEach((name, axis) => assert.ok(copyField(cloud, name, points, axis, 3)));
    points.forEach((value, i) => assert.equal(value, [x, y, z][i % 3][Math.floor(i / 3)]));
    const [entity, reason] = [new Uint32Array(rows * cols), new Uint8Array(rows * cols)];
    assert.ok(copyField(cloud, 'entity', entity) && copyField(cloud, 'reason', reason));
    assert.deepEqual([entity, reason], [ids, reasons]);
    assert.equal(copyField(cloud, 'intensity', points), false);
  }
});

test('messages that are cut anywhere are refused, never read beyond their bytes', () => {
  const plane = Float32Array.of(1, 2, 3, 4);
  const whole = pointCloud({ rows: 2, cols: 2, fields: [['x', 7, plane], ['y', 7, plane], ['z', 7, plane]] });
  const image = depthImage({ rows: 2, cols: 2, values: plane });
  const tf = transforms(0, [['world', 'a', [0, 0, 0], [0, 0, 0, 1]]]);
  for (const [bytes, read] of [[whole, readPointCloud], [image, readImage], [tf, readTransforms]]) {
    read(view(bytes));
    for (let size = 0; size < bytes.length - (read === readPointCloud ? 1 : 0); ++size) {
      assert.throws(() => read(view(bytes.subarray(0, size))));
    }
  }
});

test('a field beyond its point and rows beyond the data are refused', () => {
  const next = random(9);
  const plane = Float32Array.from({ length: 12 }, next);
  const whole = pointCloud({ rows: 3, cols: 4, fields: [['x', 7, plane], ['y', 7, plane], ['z', 7, plane]] });
  let read = 0;
  for (let round = 0; round < 3000; ++round) {
    const bytes = Buffer.from(whole);
    bytes[Math.floor(next() * 120)] = Math.floor(256 * next());
    try {
      const cloud = readPointCloud(view(bytes));
      if (cloud.rows * cloud.cols < 1000) {
        copyField(cloud, 'x', new Float32Array(1000));
        ++read;
      }
    } catch (error) {
      assert.ok(error instanceof Error);
    }
  }
  assert.ok(read > 100);
});

test('depth images in metres and in millimetres, lost pixels as NaN', () => {
  const out = new Float32Array(4);
  copyDepth(readImage(view(depthImage({ rows: 2, cols: 2, values: [1.5, NaN, 0.25, 8] }))), out);
  assert.deepEqual([...out], [1.5, NaN, 0.25, 8]);
  copyDepth(readImage(view(depthImage({ rows: 2, cols: 2, values: [1500, 0, 250, 8000], millimetres: true }))), out);
  [1.5, NaN, 0.25, 8].forEach((value, i) => (Number.isNaN(value) ? assert.ok(Number.isNaN(out[i])) : near(out[i], value)));
});

test('transforms keep parents, children and numbers', () => {
  const list = [['world', 'lidar', [1, 2, 3], [0, 0, 0.6, 0.8]], ['lidar', 'lidar_optical', [0, 0, 0.5], [0, 0, 0, 1]]];
  const read = readTransforms(view(transforms(1.5, list)));
  assert.deepEqual(read.map((t) => [t.parent, t.child, t.translation, t.rotation]), list);
  assert.equal(read[0].stamp, 1.5);
});

test('a frame knows ranges, errors and clean points, with rays and without', () => {
  const frame = new Frame();
  const fields = [['x', 7, [3, NaN]], ['y', 7, [0, NaN]], ['z', 7, [4, NaN]], ['clean_range', 7, [4.5, 2]], ['reason', 2, [0, 10]]];
  frame.readPoints(view(pointCloud({ rows: 1, cols: 2, fields })));
  assert.deepEqual([frame.range[0], frame.error[0], frame.hasEntity, frame.hasReason], [5, 0.5, false, true]);
  assert.ok(Number.isNaN(frame.range[1]) && Number.isNaN(frame.clean[3]));
  near(frame.clean[0], 2.7);
  const arrays = [frame.points, frame.clean];
  frame.readRays(view(pointCloud({ rows: 1, cols: 2, fields: [['x', 7, [0.6, 0]], ['y', 7, [0, 1]], ['z', 7, [0.8, 0]]] })));
  frame.readPoints(view(pointCloud({ rows: 1, cols: 2, fields })));
  near(frame.clean[4], 2);
  assert.ok(arrays[0] === frame.points && arrays[1] === frame.clean, 'arrays are used again');
});
