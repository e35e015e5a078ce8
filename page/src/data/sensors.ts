// SPDX-License-Identifier: MIT
import type { State } from '../protocol/messages';

/** The sensors that the state names, or else those whose clouds or images are among the topics. */
export function sensorNames(state: State | null, topics: Iterable<string>): string[] {
  const told = state?.sensors.map((sensor) => sensor.name) ?? [];
  if (told.length > 0) {
    return told;
  }
  const found = [...topics].map((topic) => /^\/(.+)\/(points|image)$/.exec(topic)?.[1]);
  return [...new Set(found.filter((name): name is string => name !== undefined))];
}

/** What the page subscribes to while it shows a sensor; with no sensor, what concerns all of them. */
export function wantedTopics(sensor: string): string[] {
  const own = ['points', 'rays', 'image', 'statistics'].map((topic) => `/${sensor}/${topic}`);
  return ['/fathom/state', '/fathom/knobs', '/tf', '/tf_static', ...(sensor ? own : [])];
}
