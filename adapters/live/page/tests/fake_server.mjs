// SPDX-License-Identifier: MIT
// A stand-in for `fathom serve`: the committed page and the Foxglove protocol over the room of fake_world.mjs.
//     node tests/fake_server.mjs [PORT] [ROWSxCOLS]
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';
import { WebSocketServer } from 'ws';
import { depthImage, pointCloud, transforms } from './cdr_writer.mjs';
import { cameraRays, ENTITIES, histogram, lidarRays, pose, REASONS, render } from './fake_world.mjs';

const DIST = fileURLToPath(new URL('../dist/', import.meta.url));
const TYPES = { html: 'text/html; charset=utf-8', js: 'text/javascript; charset=utf-8', css: 'text/css; charset=utf-8' };
const POLICY = "default-src 'self'; style-src 'self'; connect-src 'self' ws:; img-src 'self' data: blob:";
const SERVICES = ['pause', 'step', 'seek', 'speed', 'save_frame', 'save_scene'];
const END_S = 20;

function knobsOf(sensor) {
  const entry = (index, model, title) => (field, about, unit, kind, low, high, value, choices) =>
    ({ name: `sensors.${sensor}.noise.${index}.${field}`, sensor, model, title, field, about, unit, kind, low, high, value, ...(choices && { choices }) });
  const distance = entry(0, 'distance', 'Gaussian distance');
  const dropout = entry(1, 'dropout', 'Dropout');
  const edges = entry(2, 'edge_loss', 'Loss at edges');
  const spin = entry(3, 'angular_ray', 'Angular ray');
  return [
    distance('stddev_m', 'Standard deviation of the error of every range.', 'm', 'number', 0, null, 0.03),
    dropout('probability', 'Probability that a ray is lost, whatever it hits.', '1', 'number', 0, 1, 0.02),
    edges('radius', 'How many pixels around a jump in depth are looked at.', 'px', 'whole', 0, 8, 1),
    edges('both_sides', 'Whether the far side of a jump is lost too.', '', 'flag', null, null, true),
    edges('shape', 'How the probability falls with the distance from the jump.', '', 'choice', null, null, 'linear', ['linear', 'step']),
    spin('mean_rad', 'Mean rotation.', 'rad', 'number', -3.1415927, 3.1415927, 0.00017453292),
  ];
}

export class FakeServer {
  constructor({ rows = 32, cols = 256, rateHz = 10, renderAll = false } = {}) {
    this.options = { rateHz, renderAll };
    this.state = { scene: 'room.yaml', paused: false, speed: 1, time_s: 0, end_s: END_S, error: null, entities: ENTITIES, reasons: REASONS, version: '0.1.0',
      sensors: [
        { name: 'lidar', kind: 'lidar', rows, cols, max_range_m: 30, frame_id: 'lidar' },
        { name: 'camera', kind: 'camera', rows: 72, cols: 96, max_range_m: 10, frame_id: 'camera' },
      ] };
    this.rays = { lidar: lidarRays(rows, cols), camera: cameraRays(72, 96) };
    this.knobs = [...knobsOf('lidar'), ...knobsOf('camera')];
    this.frame = 0;
    this.log = [];
    this.clients = new Set();
    const topics = ['/fathom/state', '/fathom/knobs', '/tf', '/tf_static', '/lidar/points', '/lidar/rays', '/lidar/statistics',
      '/camera/points', '/camera/rays', '/camera/statistics', '/camera/image'];
    this.channels = topics.map((topic, i) => ({ id: i + 1, topic, encoding: /fathom|statistics/.test(topic) ? 'json' : 'cdr', schemaName: '', schema: '' }));
  }

  async listen(port = 0) {
    this.http = createServer((request, response) => this.answer(request, response));
    this.sockets = new WebSocketServer({ server: this.http, handleProtocols: (offered) => ['foxglove.sdk.v1', 'foxglove.websocket.v1'].find((p) => offered.has(p)) ?? false });
    this.sockets.on('connection', (socket) => this.welcome(socket));
    await new Promise((resolve) => this.http.listen(port, '127.0.0.1', resolve));
    this.timer = setInterval(() => this.state.paused || this.advance(this.state.speed / this.options.rateHz), 1000 / this.options.rateHz);
    this.port = this.http.address().port;
    return this;
  }

  async close() {
    clearInterval(this.timer);
    this.clients.forEach((client) => client.socket.terminate());
    this.http.closeAllConnections();
    await new Promise((resolve) => this.http.close(resolve));
  }

  answer(request, response) {
    const name = request.url === '/' ? 'index.html' : request.url.slice(1);
    if (!['index.html', 'app.js', 'app.css'].includes(name)) {
      response.writeHead(404).end();
      return;
    }
    response.writeHead(200, { 'Content-Type': TYPES[name.split('.')[1]], 'Content-Security-Policy': POLICY }).end(readFileSync(DIST + name));
  }

  welcome(socket) {
    const client = { socket, subscriptions: new Map() };
    this.clients.add(client);
    socket.on('close', () => this.clients.delete(client));
    socket.on('message', (data, binary) => (binary ? this.service(client, data) : this.text(client, JSON.parse(data))));
    const say = (message) => socket.send(JSON.stringify(message));
    say({ op: 'serverInfo', name: 'fathom', capabilities: ['parameters', 'parametersSubscribe', 'time', 'services'], supportedEncodings: ['json'], metadata: {}, sessionId: 'fake' });
    say({ op: 'advertise', channels: this.channels });
    say({ op: 'advertiseServices', services: SERVICES.map((name, i) => ({ id: i + 1, name: `/fathom/${name}`, type: name, requestSchema: '', responseSchema: '' })) });
  }

  text(client, message) {
    this.log.push(message);
    if (message.op === 'subscribe') {
      for (const { id, channelId } of message.subscriptions) {
        client.subscriptions.set(channelId, id);
        this.first(client, this.channels[channelId - 1].topic);
      }
    } else if (message.op === 'unsubscribe') {
      for (const [channel, id] of client.subscriptions) {
        if (message.subscriptionIds.includes(id)) {
          client.subscriptions.delete(channel);
        }
      }
    } else if (message.op === 'setParameters') {
      message.parameters.forEach((parameter) => this.set(client, parameter));
    }
  }

  set(client, { name, value }) {
    const knob = this.knobs.find((k) => k.name === name);
    const number = knob.kind === 'number' || knob.kind === 'whole';
    if (number && !(value >= (knob.low ?? -Infinity) && value <= (knob.high ?? Infinity))) {
      client.socket.send(JSON.stringify({ op: 'status', level: 2, message: `${name}: ${value} is beyond its limits ${knob.low} to ${knob.high ?? 'any'}` }));
    } else {
      knob.value = value;
    }
    for (const { socket } of this.clients) {
      socket.send(JSON.stringify({ op: 'parameterValues', parameters: [{ name, value: knob.value }] }));
    }
    this.publishFrames();
  }

  service(client, data) {
    const [service, call, length] = [data.readUInt32LE(1), data.readUInt32LE(5), data.readUInt32LE(9)];
    const name = SERVICES[service - 1];
    const request = JSON.parse(data.subarray(13 + length).toString());
    this.log.push({ service: name, request });
    if (name === 'save_scene') {
      client.socket.send(JSON.stringify({ op: 'serviceCallFailure', serviceId: service, callId: call, message: 'nothing is written without --out' }));
      return;
    }
    const answer = name === 'save_frame' ? { files: [`out/${request.sensor}_000012.pcd`] } : {};
    this.serve(name, request);
    const body = Buffer.from(`json${JSON.stringify(answer)}`);
    const head = Buffer.alloc(13);
    head[0] = 3;
    [service, call, 4].forEach((value, i) => head.writeUInt32LE(value, 1 + 4 * i));
    client.socket.send(Buffer.concat([head, body]));
  }

  serve(name, request) {
    if (name === 'pause') this.state.paused = request.paused;
    if (name === 'speed') this.state.speed = request.speed;
    if (name === 'seek') this.state.time_s = request.time_s;
    if (name === 'seek') this.publishFrames();
    if (name === 'step') this.advance(1 / this.options.rateHz);
    this.publish('/fathom/state', JSON.stringify(this.state));
  }

  advance(seconds) {
    this.frame++;
    this.state.time_s = (this.state.time_s + seconds) % END_S;
    if (this.frame % 2 === 0) {
      this.publish('/fathom/state', JSON.stringify(this.state));
    }
    this.publish('/tf', this.tf());
    this.publishFrames();
  }

  tf() {
    return transforms(this.state.time_s, ['lidar', 'camera'].map((name) => {
      const [x, y, z, yaw] = pose(this.state.time_s, name === 'camera');
      return ['world', name, [x, y, z], [0, 0, Math.sin(yaw / 2), Math.cos(yaw / 2)]];
    }));
  }

  value(sensor, field) {
    return this.knobs.find((k) => k.sensor === sensor && k.field === field).value;
  }

  publishFrames() {
    for (const { name, rows, cols } of this.state.sensors) {
      if (this.options.renderAll || [...this.clients].some((c) => c.subscriptions.has(this.id(`/${name}/points`)))) {
        this.publishFrame(name, rows, cols);
      }
    }
  }

  publishFrame(name, rows, cols) {
    const stddev = this.value(name, 'stddev_m');
    const f = render(this.rays[name], rows, cols, this.frame, this.state.time_s, name === 'camera', stddev, this.value(name, 'probability'));
    const time = this.state.time_s;
    this.publish(`/${name}/points`, pointCloud({ time, frame: name, rows, cols,
      fields: [['x', 7, f.x], ['y', 7, f.y], ['z', 7, f.z], ['clean_range', 7, f.clean], ['entity', 6, f.entity], ['reason', 2, f.reason]] }));
    if (name === 'camera') {
      this.publish('/camera/image', depthImage({ time, rows, cols, values: f.depth }));
    }
    const errors = histogram(f.errors, stddev);
    this.publish(`/${name}/statistics`, JSON.stringify({ frame: this.frame, stamp_s: time, rays: rows * cols, reasons: f.reasons, errors, render_ms: 1 }));
  }

  first(client, topic) {
    const sensor = this.state.sensors.find((s) => topic.startsWith(`/${s.name}/`));
    if (topic === '/fathom/state') this.publish(topic, JSON.stringify(this.state), client);
    if (topic === '/fathom/knobs') this.publish(topic, JSON.stringify({ knobs: this.knobs }), client);
    if (topic === '/tf') this.publish(topic, this.tf(), client);
    if (topic.endsWith('/rays')) {
      const axis = (k) => this.rays[sensor.name].map((ray) => ray[k]);
      this.publish(topic, pointCloud({ frame: sensor.name, rows: sensor.rows, cols: sensor.cols, fields: ['x', 'y', 'z'].map((n, k) => [n, 7, axis(k)]) }), client);
      this.publishFrame(sensor.name, sensor.rows, sensor.cols);
    }
  }

  id(topic) {
    return this.channels.find((channel) => channel.topic === topic)?.id;
  }

  publish(topic, payload, only) {
    const channel = this.id(topic);
    for (const { socket, subscriptions } of only ? [only] : this.clients) {
      const id = subscriptions.get(channel);
      if (id !== undefined && socket.bufferedAmount < 1 << 22) {
        const head = Buffer.alloc(13);
        head[0] = 1;
        head.writeUInt32LE(id, 1);
        head.writeBigUInt64LE(BigInt(Math.round(1e9 * this.state.time_s)), 5);
        socket.send(Buffer.concat([head, Buffer.from(payload)]));
      }
    }
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [rows, cols] = (process.argv[3] ?? '64x512').split('x').map(Number);
  const server = await new FakeServer({ rows, cols }).listen(Number(process.argv[2] ?? 8765));
  console.log(`http://127.0.0.1:${server.port}`);
}
