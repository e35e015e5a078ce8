// SPDX-License-Identifier: MIT
import type { State } from '../protocol/messages';

/** The sensors of the state. If it has none: the sensors with topics of clouds or images. */
export function sensorNames(state: State | null, topics: Iterable<string>): string[] {
  const told = state?.sensors.map((sensor) => sensor.name) ?? [];
  if (told.length > 0) {
    return told;
  }
  const found = [...topics].map((topic) => /^\/(.+)\/(points|image)$/.exec(topic)?.[1]);
  return [...new Set(found.filter((name): name is string => name !== undefined))];
}

/** The topics of a sensor and of all sensors; without a sensor only the latter. */
export function wantedTopics(sensor: string): string[] {
  const own = ['points', 'rays', 'image', 'statistics'].map((topic) => `/${sensor}/${topic}`);
  return ['/fathom/state', '/fathom/knobs', '/tf', '/tf_static', ...(sensor ? own : [])];
}
