// SPDX-License-Identifier: MIT
// Writes answers.json: for each type the fields of its published definition, and messages of random values with their
// bytes. Needed only to change a message: the tests read the file.
//
//   npm install --prefix /tmp/messages @foxglove/rosmsg2-serialization @foxglove/rosmsg-msgs-common
//   node tests/io/message/make_answers.mjs /tmp/messages > tests/io/message/answers.json

import { createRequire } from 'node:module';

const require = createRequire(`${process.argv[2] ?? '.'}/node_modules/`);
const { MessageWriter } = require('@foxglove/rosmsg2-serialization');
const { ros2humble } = require('@foxglove/rosmsg-msgs-common');

// The same numbers for the same seed (mulberry32).
let state = 7;
function random() {
  state = (state + 0x6d2b79f5) >>> 0;
  let t = Math.imul(state ^ (state >>> 15), 1 | state);
  t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
  return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
}
const integer = (limit) => Math.floor(random() * limit);

const definitions = Object.values(ros2humble);
const definitionOf = (name) => definitions.find((d) => d.name === name);
const fieldsOf = (name) => definitionOf(name).definitions.filter((field) => field.isConstant !== true);

function partsOf(name, found = new Set([name])) {
  for (const field of fieldsOf(name)) {
    if (field.isComplex === true && !found.has(field.type)) {
      found.add(field.type);
      partsOf(field.type, found);
    }
  }
  return [...found];
}

function value(field) {
  if (field.type === 'time') return { sec: integer(2e9), nsec: integer(1e9) };
  if (field.isComplex === true) return message(field.type);
  switch (field.type) {
    case 'string': return 'abcdefghij'.slice(0, integer(11));
    case 'bool': return random() < 0.5;
    case 'int8': return integer(256) - 128;
    case 'uint8': return integer(256);
    case 'int32': return integer(4e9) - 2e9;
    case 'uint32': return integer(4e9);
    case 'float32': return Math.fround(random() * 100 - 50);
    case 'float64': return random() * 100 - 50;
    default: throw new Error(`no value of ${field.type}`);
  }
}

function message(name) {
  const result = {};
  for (const field of fieldsOf(name)) {
    const count = field.arrayLength ?? integer(6);
    result[field.name] = field.isArray === true ? Array.from({ length: count }, () => value(field)) : value(field);
  }
  // What fathom checks beyond the bytes of CDR.
  if (name === 'sensor_msgs/PointField') Object.assign(result, { datatype: 7, count: 1, offset: 4 * integer(3) });
  if (name === 'sensor_msgs/PointCloud2') {
    Object.assign(result, { height: 2, width: 3, point_step: 12, row_step: 37, data: Array.from({ length: 74 }, () => integer(256)) });
  }
  if (name === 'sensor_msgs/Image') {
    Object.assign(result, { height: 2, width: 5, encoding: '16UC1', step: 10, data: Array.from({ length: 20 }, () => integer(256)) });
  }
  if (name === 'nav_msgs/OccupancyGrid') {
    Object.assign(result.info, { width: 3, height: 4 });
    result.data = Array.from({ length: 12 }, () => integer(102) - 1);
  }
  return result;
}

const names = ['sensor_msgs/PointCloud2', 'sensor_msgs/LaserScan', 'sensor_msgs/Image', 'sensor_msgs/CameraInfo',
  'tf2_msgs/TFMessage', 'nav_msgs/Odometry', 'nav_msgs/OccupancyGrid', 'rosgraph_msgs/Clock',
  'geometry_msgs/PoseWithCovarianceStamped'];
const answers = { types: {}, messages: [] };
for (const name of names) {
  for (const part of partsOf(name)) {
    answers.types[part] = fieldsOf(part).map((field) => {
      const length = field.isArray === true ? `[${field.arrayLength ?? ''}]` : '';
      return `${field.type === 'time' ? 'builtin_interfaces/Time' : field.type}${length} ${field.name}`;
    });
  }
  const parts = partsOf(name).map((part) => ({ ...definitionOf(part), name: part === name ? undefined : part }));
  const writer = new MessageWriter(parts);
  for (let i = 0; i < 6; ++i) {
    const written = message(name);
    answers.messages.push({ type: name, value: written, bytes: Buffer.from(writer.writeMessage(written)).toString('hex') });
  }
}
process.stdout.write(`${JSON.stringify(answers)}\n`.replaceAll('},{"type"', '},\n{"type"'));
