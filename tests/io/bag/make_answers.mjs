// SPDX-License-Identifier: MIT
// Writes answers_none.mcap, answers_zstd.mcap and answers_lz4.mcap: the messages of tests/io/message/answers.json, each at i
// times 1 234 567 890 ns, on a topic of its type. Needed only to change the readers of bags: the tests read the files.
//
//   npm install --prefix /tmp/bags @mcap/core @foxglove/wasm-zstd lz4js
//   node tests/io/bag/make_answers.mjs /tmp/bags tests/io/message/answers.json tests/io/bag

import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const [folder, answersFile, out] = process.argv.slice(2);
const require = createRequire(`${folder}/node_modules/`);
const { McapWriter, TempBuffer } = require('@mcap/core');
const zstd = require('@foxglove/wasm-zstd');
const lz4 = require('lz4js');
await zstd.isLoaded;

const compressions = {
  none: undefined,
  zstd: (bytes) => ({ compression: 'zstd', compressedData: zstd.compress(bytes) }),
  lz4: (bytes) => ({ compression: 'lz4', compressedData: lz4.compress(bytes) }),
};
const { messages } = JSON.parse(readFileSync(answersFile, 'utf8'));
for (const [name, compressChunk] of Object.entries(compressions)) {
  const buffer = new TempBuffer();
  const writer = new McapWriter({ writable: buffer, chunkSize: 2000, compressChunk });
  await writer.start({ profile: 'ros2', library: 'answers' });
  const channels = new Map();
  for (const [i, { type, bytes }] of messages.entries()) {
    if (!channels.has(type)) {
      const schemaId = await writer.registerSchema({ name: type.replace('/', '/msg/'), encoding: 'ros2msg', data: new Uint8Array() });
      channels.set(type, await writer.registerChannel({ schemaId, topic: `/${type}`, messageEncoding: 'cdr', metadata: new Map() }));
    }
    const time = BigInt(i) * 1234567890n;
    await writer.addMessage({ channelId: channels.get(type), sequence: i, logTime: time, publishTime: time, data: Buffer.from(bytes, 'hex') });
  }
  await writer.end();
  writeFileSync(`${out}/answers_${name}.mcap`, buffer.get());
}
