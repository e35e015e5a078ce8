// SPDX-License-Identifier: MIT
// The client that Lichtblick and Foxglove are built on speaks with the server, and their reader decodes what it sends.
import { readFileSync } from 'node:fs';
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { parse } from '@foxglove/rosmsg';
import { MessageReader } from '@foxglove/rosmsg2-serialization';
import protocol from '@foxglove/ws-protocol';
import WebSocket from 'ws';
import { PROBABILITY, sceneFile, STDDEV } from './scene.mjs';
import { serve } from './server.mjs';

const { FoxgloveClient } = protocol;
const text = new TextDecoder();
let scene;
let server;

before(async () => {
  scene = sceneFile();
  server = await serve(scene.path, '--out', `${scene.folder}/saved`);
});
after(async () => {
  await server.stop();
  scene.remove();
});

/** A client that keeps what the server said. */
class Judge {
  channels = new Map();
  services = new Map();
  statuses = [];
  latest = new Map();
  waiting = [];

  constructor(subprotocol) {
    this.socket = new WebSocket(`ws://127.0.0.1:${server.port}`, [subprotocol]);
    this.client = new FoxgloveClient({ ws: this.socket });
    const { client } = this;
    const topics = new Map();
    client.on('serverInfo', (info) => { this.info = info; });
    client.on('status', (status) => this.statuses.push(status));
    client.on('time', (time) => { this.time = time; });
    client.on('advertise', (list) => list.forEach((channel) => this.channels.set(channel.topic, channel)));
    client.on('advertiseServices', (list) => list.forEach((service) => this.services.set(service.name, service)));
    client.on('parameterValues', ({ parameters }) => { this.parameters = new Map(parameters.map((p) => [p.name, p.value])); });
    client.on('serviceCallResponse', (answer) => { this.answer = JSON.parse(text.decode(answer.data)); });
    client.on('serviceCallFailure', (failure) => { this.failure = failure.message; });
    client.on('message', ({ subscriptionId, data }) => this.latest.set(topics.get(subscriptionId), data));
    this.subscribe = (topic) => {
      const id = client.subscribe(this.channels.get(topic).id);
      topics.set(id, topic);
      return id;
    };
  }

  async until(condition) {
    // The test's own timeout would not end a loop that waits for ever, and node would wait with it.
    const end = Date.now() + 20000;
    while (!condition()) {
      assert.ok(Date.now() < end, `not seen within 20 s: ${condition}`);
      await new Promise((done) => setTimeout(done, 10));
    }
  }

  async next(topic) {
    this.latest.delete(topic);
    return this.newest(topic);
  }

  /** The newest message of a topic, decoded by the schema that the server sent with the channel. */
  async newest(topic) {
    await this.until(() => this.latest.has(topic));
    const { schema, encoding } = this.channels.get(topic);
    const data = this.latest.get(topic);
    return encoding === 'json' ? JSON.parse(text.decode(data)) : new MessageReader(parse(schema, { ros2: true })).readMessage(data);
  }

  async call(service, request) {
    this.answer = this.failure = null;
    this.client.sendServiceCallRequest({ serviceId: this.services.get(service).id, callId: 7, encoding: 'json',
      data: new DataView(new TextEncoder().encode(JSON.stringify(request)).buffer) });
    await this.until(() => this.answer ?? this.failure);
    return this.answer ?? { failure: this.failure };
  }

  close() {
    this.client.close();
  }
}

async function meet(subprotocol) {
  const judge = new Judge(subprotocol);
  await judge.until(() => judge.info && judge.channels.has('/lidar/points') && judge.services.has('/fathom/seek'));
  return judge;
}

const check = (name, run) => test(name, { timeout: 30000 }, run);

for (const subprotocol of ['foxglove.sdk.v1', 'foxglove.websocket.v1']) {
  check(`${subprotocol}: the server tells what it can do`, async () => {
    const judge = await meet(subprotocol);
    assert.equal(judge.socket.protocol, subprotocol);
    assert.equal(judge.info.name, 'fathom');
    for (const capability of ['parameters', 'parametersSubscribe', 'time', 'services']) {
      assert.ok(judge.info.capabilities.includes(capability), capability);
    }
    await judge.until(() => judge.time !== undefined);
    judge.close();
  });
}

check('each channel is decoded by the schema that came with it', async () => {
  const judge = await meet('foxglove.sdk.v1');
  for (const topic of judge.channels.keys()) {
    judge.subscribe(topic);
  }
  const cloud = await judge.newest('/lidar/points');
  assert.deepEqual([cloud.height, cloud.width, cloud.header.frame_id], [16, 256, 'lidar']);
  assert.deepEqual(cloud.fields.map((field) => field.name), ['x', 'y', 'z', 'clean_range', 'entity', 'reason']);
  const view = new DataView(cloud.data.buffer, cloud.data.byteOffset, cloud.data.byteLength);
  let returned = 0;
  for (let i = 0; i < 16 * 256; ++i) {
    const [x, y, z, clean] = [0, 4, 8, 12].map((offset) => view.getFloat32(i * cloud.point_step + offset, true));
    if (Number.isFinite(x)) {
      returned++;
      // The knob's standard deviation is 2 cm; six of them are allowed.
      assert.ok(Math.abs(Math.hypot(x, y, z) - clean) < 0.12);
    }
  }
  assert.ok(returned > 0.85 * 16 * 256 && returned < 0.95 * 16 * 256, `${returned} returns`);
  const image = await judge.newest('/camera/image');
  assert.deepEqual([image.height, image.width, image.encoding, image.data.length], [24, 32, '32FC1', 24 * 32 * 4]);
  const info = await judge.newest('/camera/camera_info');
  assert.deepEqual([info.k[0], info.k[2], info.k[5]], [32, 15.5, 11.5]);
  const { transforms } = await judge.newest('/tf_static');
  assert.deepEqual(transforms.map((t) => t.child_frame_id).filter((name) => name === 'lidar'), ['lidar']);
  assert.ok((await judge.newest('/clock')).clock.sec >= 0);
  assert.equal((await judge.next('/lidar/statistics')).rays, 16 * 256);
  judge.close();
});

check('parameters are knobs: read, set, refused, and told to other clients', async () => {
  const [one, two] = [await meet('foxglove.sdk.v1'), await meet('foxglove.websocket.v1')];
  one.client.getParameters([STDDEV, PROBABILITY], 'first');
  await one.until(() => one.parameters);
  assert.deepEqual([one.parameters.get(STDDEV), one.parameters.get(PROBABILITY)], [0.02, 0.1]);
  two.client.subscribeParameterUpdates([PROBABILITY]);
  // The server reads two sockets in any order: an answer on the second shows that it has read the subscription.
  two.client.getParameters([PROBABILITY], 'subscribed');
  await two.until(() => two.parameters);
  one.client.setParameters([{ name: PROBABILITY, value: 1 }], 'second');
  await two.until(() => two.parameters?.get(PROBABILITY) === 1);
  one.subscribe('/lidar/statistics');
  let statistics = await one.next('/lidar/statistics');
  while (statistics.reasons.returned > 0) {
    statistics = await one.next('/lidar/statistics');
  }
  one.client.setParameters([{ name: PROBABILITY, value: 1.5 }], 'third');
  await one.until(() => one.statuses.some((status) => status.message.includes('1.5')));
  one.client.setParameters([{ name: PROBABILITY, value: 0.1 }], 'fourth');
  await two.until(() => two.parameters.get(PROBABILITY) === 0.1);
  one.close();
  two.close();
});

check('services pause, seek, step and save', async () => {
  const judge = await meet('foxglove.sdk.v1');
  assert.match((await judge.call('/fathom/save_frame', { sensor: 'lidar' })).failure ?? '', /no client subscribes to it/);
  judge.subscribe('/lidar/points');
  await judge.newest('/lidar/points');
  await judge.call('/fathom/pause', { paused: true });
  await judge.call('/fathom/seek', { time_s: 1.5 });
  const saved = await judge.call('/fathom/save_frame', { sensor: 'lidar' });
  assert.match(saved.files?.[0] ?? saved.failure, /\.pcd$/);
  assert.match((await judge.call('/fathom/seek', { time_s: 'soon' })).failure ?? '', /time_s/);
  await judge.call('/fathom/pause', { paused: false });
  judge.close();
});

check('the layout for Lichtblick and Foxglove names only topics that are offered', async () => {
  const judge = await meet('foxglove.sdk.v1');
  const layout = await (await fetch(`http://127.0.0.1:${server.port}/layout.json`)).json();
  const named = JSON.stringify(layout).match(/"\/[a-z_]+\/[a-z_]+(?=[".])/g).map((quoted) => quoted.slice(1));
  assert.ok(named.length > 0);
  for (const topic of named) {
    assert.ok(judge.channels.has(topic) || judge.services.has(topic), topic);
  }
  judge.close();
  const installed = JSON.parse(readFileSync(new URL('../../layout.json', import.meta.url), 'utf8'));
  assert.deepEqual(layout, installed, 'adapters/live/page/layout.json is what the server gives for a lidar and a camera');
});
