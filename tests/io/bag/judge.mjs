// SPDX-License-Identifier: MIT
// Reads a bag by its index and its footer, as a player does, and prints what it holds as JSON.
//   node judge.mjs <folder with node_modules> <bag>

import { open } from 'node:fs/promises';
import { createRequire } from 'node:module';

const [folder, file] = process.argv.slice(2);
const require = createRequire(`${folder}/node_modules/`);
const { McapIndexedReader } = require('@mcap/core');
const zstd = require('@foxglove/wasm-zstd');
const { parse } = require('@foxglove/rosmsg');
const { MessageReader } = require('@foxglove/rosmsg2-serialization');
await zstd.isLoaded;

const handle = await open(file);
const readable = {
  size: async () => BigInt((await handle.stat()).size),
  read: async (offset, size) => {
    const bytes = new Uint8Array(Number(size));
    await handle.read(bytes, 0, bytes.length, Number(offset));
    return bytes;
  },
};
const reader = await McapIndexedReader.Initialize({
  readable,
  decompressHandlers: { zstd: (bytes, size) => zstd.decompress(bytes, Number(size)) },
});
const decoders = new Map();
for (const channel of reader.channelsById.values()) {
  const schema = reader.schemasById.get(channel.schemaId);
  const definitions = parse(new TextDecoder().decode(schema.data), { ros2: true });
  decoders.set(channel.id, { channel, schema, reader: new MessageReader(definitions) });
}
// The fields of all points, each as a list.
const getters = [, 'getInt8', 'getUint8', 'getInt16', 'getUint16', 'getInt32', 'getUint32', 'getFloat32', 'getFloat64'];
const pointsOf = (cloud) => {
  const view = new DataView(cloud.data.buffer, cloud.data.byteOffset, cloud.data.byteLength);
  const columns = {};
  for (const field of cloud.fields) {
    columns[field.name] = Array.from({ length: cloud.width * cloud.height }, (_, i) =>
      view[getters[field.datatype]](i * cloud.point_step + field.offset, true));
  }
  return columns;
};
const messages = [];
for await (const message of reader.readMessages({ validateCrcs: true })) {
  const { channel, schema, reader: decoder } = decoders.get(message.channelId);
  const content = decoder.readMessage(message.data);  // throws where the schema does not fit
  messages.push({ topic: channel.topic, type: schema.name, hash: channel.metadata.get('topic_type_hash'),
    time: String(message.logTime), bytes: Buffer.from(message.data).toString('hex'), encoding: content.encoding,
    points: schema.name === 'sensor_msgs/msg/PointCloud2' ? pointsOf(content) : undefined });
}
await handle.close();
process.stdout.write(JSON.stringify({ count: Number(reader.statistics.messageCount), chunks: reader.chunkIndexes.length, messages }));
