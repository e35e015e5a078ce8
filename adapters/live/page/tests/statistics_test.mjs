// SPDX-License-Identifier: MIT
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { histogram, random, render, lidarRays } from './fake_world.mjs';
import { done, load } from './source.mjs';

const { summarise, densities, rates, niceCeil, magnitude, metres, ticks } = await load('data/statistics.ts');
const { sliderScale, toSlider, fromSlider, limits, short, shownKnob, STEPS } = await load('panel/knob_scale.ts');
after(done);

test('the histogram of a uniform law has its mean, its spread and its density', () => {
  const bins = 1000;
  const errors = { edges_m: Array.from({ length: bins + 1 }, (_, i) => 1 + (2 * i) / bins), counts: new Array(bins).fill(3), density_per_m: null };
  const { total, mean, stddev } = summarise(errors);
  assert.equal(total, 3000);
  assert.ok(Math.abs(mean - 2) < 1e-9 && Math.abs(stddev - 2 / Math.sqrt(12)) < 1e-5);
  densities(errors).forEach((density) => assert.ok(Math.abs(density - 0.5) < 1e-9));
});

test('densities of bins of any width hold a mass of one', () => {
  const next = random(3);
  const edges = [0];
  for (let i = 0; i < 50; ++i) edges.push(edges[i] + 0.01 + next());
  const errors = { edges_m: edges, counts: Array.from({ length: 50 }, () => Math.floor(100 * next())), density_per_m: null };
  const mass = densities(errors).reduce((sum, density, i) => sum + density * (edges[i + 1] - edges[i]), 0);
  assert.ok(Math.abs(mass - 1) < 1e-9);
});

test('an empty histogram has no mean and no bars', () => {
  const errors = { edges_m: [0, 1, 2], counts: [0, 0], density_per_m: null };
  assert.ok(Number.isNaN(summarise(errors).mean));
  assert.deepEqual(densities(errors), [0, 0]);
});

test('the summary finds the spread that the fake world has', () => {
  const rays = lidarRays(32, 256);
  for (const stddev of [0.01, 0.1]) {
    const frame = render(rays, 32, 256, 1, 0, false, stddev, 0);
    const found = summarise(histogram(frame.errors, stddev)).stddev;
    assert.ok(Math.abs(found / stddev - 1) < 0.04, `${found}`);
  }
});

test('rates follow the order of reasons, leave empty ones out and sum to one', () => {
  const found = rates({ dropout: 10, hit: 85, miss: 0, unheard_of: 5 }, ['hit', 'miss', 'dropout']);
  assert.deepEqual(found.map((rate) => [rate.reason, rate.share]), [['hit', 0.85], ['dropout', 0.1], ['unheard_of', 0.05]]);
});

test('round numbers, ticks, quantiles, and metres as text', () => {
  for (const [x, y] of [[0.9, 1], [1, 1], [1.2, 1.5], [3.1, 4], [9, 10], [0.03, 0.03], [0, 1], [NaN, 1]]) {
    assert.ok(Math.abs(niceCeil(x) - y) < 1e-12, `${x}`);
  }
  assert.deepEqual([0, 0.5, 1].map((q) => magnitude(Float32Array.of(3, NaN, -4, 0.5, 99), 4, q)), [0.5, 3, 4]);
  assert.equal(magnitude(Float32Array.of(NaN), 1, 0.5), 0);
  assert.deepEqual(ticks(-0.043, 0.0468, 5).map((t) => Number(t.toFixed(9))), [-0.04, -0.02, 0, 0.02, 0.04]);
  assert.deepEqual([metres(0.0123), metres(-2.5), metres(NaN), metres(0, 0.03)], ['12.3 mm', '−2.5 m', '–', '0 mm']);
});

test('a slider reaches both limits and comes back to each of its places', () => {
  for (const knob of [{ kind: 'number', low: 0, high: 10, value: 0.02 }, { kind: 'number', low: -1, high: 1, value: 0 },
    { kind: 'whole', low: 0, high: 8, value: 1 }, { kind: 'number', low: 0, high: null, value: 0.03 }, { kind: 'number', low: 0, high: 1e6, value: 0.03 }]) {
    const scale = sliderScale(knob);
    const whole = knob.kind === 'whole';
    assert.deepEqual([fromSlider(scale, 0, whole), fromSlider(scale, STEPS, whole)], [scale.low, scale.high]);
    for (let place = 0; place <= STEPS; place += 50) {
      const value = fromSlider(scale, place, whole);
      assert.ok(Math.abs(fromSlider(scale, toSlider(scale, value), whole) - value) <= 0.02 * Math.abs(value) + 1e-9, `${place}`);
    }
  }
});

test('angles are shown in degrees, and numbers fit into their fields', () => {
  const { shown, factor } = shownKnob({ unit: 'rad', low: 0, high: null, value: 0.00017453292 });
  assert.deepEqual([shown.unit, shown.low, shown.high, short(shown.value)], ['deg', 0, null, '0.01']);
  assert.ok(Math.abs(shown.value / factor - 0.00017453292) < 1e-12);
  for (const [value, text] of [[0.00012346, '0.000123'], [-0.0012346, '-0.00123'], [1.23456e-7, '1.235e-7'], [123456, '123460'], [0, '0']]) {
    assert.equal(short(value), text);
  }
});

test('limits are said with their unit', () => {
  assert.equal(limits({ low: 0, high: null, unit: 'm' }), '0 m or more');
  assert.equal(limits({ low: 0, high: 1, unit: '1' }), '0 to 1');
  assert.equal(limits({ low: null, high: null, unit: 'm' }), 'any value in m');
});
