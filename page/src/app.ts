// SPDX-License-Identifier: MIT
// The page: what comes from the server goes to what shows it, and what a user does goes to the server.
import { readTransforms } from './cdr/transforms';
import { Frame } from './data/frame';
import { load, save, type Settings } from './data/settings';
import { TransformTree } from './data/transform_tree';
import { Inbox } from './inbox';
import { makeKeys } from './keys';
import { Layout } from './layout';
import { Loop } from './loop';
import { colourOf } from './panel/dom';
import { Help, listen } from './panel/help';
import { Histogram } from './panel/histogram';
import { Knobs } from './panel/knobs';
import { Losses } from './panel/losses';
import { Notes } from './panel/notes';
import { Transport } from './panel/transport';
import { Pictures } from './pictures';
import { Client, type Channel, type Listener, type Parameter } from './protocol/client';
import type { Knob, SensorInfo, State, Statistics } from './protocol/messages';
import { textOf } from './protocol/wire';
import { applyTheme, onSystemTheme } from './theme';
import { SceneView } from './view/scene_view';

export class App implements Listener {
  readonly settings: Settings = load();
  readonly frame = new Frame();
  readonly tree = new TransformTree();
  readonly inbox = new Inbox();
  readonly notes = new Notes();
  readonly knobs = new Knobs((name, value) => this.client.setParameter(name, value));
  readonly histogram = new Histogram();
  readonly losses = new Losses();
  readonly transport = new Transport((service, request) => void this.call(service, request));
  readonly pictures = new Pictures(this.frame, this.settings, () => this.state);
  readonly loop = new Loop(() => this.draw());
  readonly help: Help;
  readonly layout: Layout;
  readonly view: SceneView;
  readonly client: Client;
  readonly counts = { draws: 0, frames: 0, firstMs: 0 };
  state: State | null = null;
  statistics: Statistics | null = null;
  sensor = '';
  private channels = new Map<string, Channel>();
  private recolour = false;

  constructor(root: HTMLElement, url: string) {
    const keys = makeKeys(this);
    this.help = new Help(keys);
    this.layout = new Layout(this);
    root.append(...this.layout.elements, this.help.element);
    this.view = new SceneView(this.layout.canvas, this.settings, this.loop.ask);
    this.client = new Client(url, this);
    listen(keys, this.help);
    onSystemTheme(() => this.restyle());
    new ResizeObserver(() => this.redraw()).observe(this.histogram.element);
    this.restyle();
    this.client.connect();
  }

  onOpen(): void {
    this.notes.keep('connection', null);
  }

  onClose(): void {
    this.inbox.clear();
    this.notes.keep('connection', 'The connection is lost; trying again');
  }

  onChannels(channels: Map<string, Channel>): void {
    this.channels = channels;
    this.choose(this.sensor);
  }

  onMessage(topic: string, payload: DataView): void {
    try {
      this.receive(topic, payload);
    } catch (error) {
      this.notes.keep('message', `${topic}: ${(error as Error).message}`);
    }
  }

  onParameters(parameters: Parameter[]): void {
    this.knobs.values(parameters);
  }

  onStatus(level: number, message: string): void {
    this.notes.toast(message, level > 0);
  }

  sensorNames(): string[] {
    const told = this.state?.sensors.map((sensor) => sensor.name) ?? [];
    if (told.length > 0) {
      return told;
    }
    const found = [...this.channels.keys()].map((topic) => /^\/(.+)\/(points|image)$/.exec(topic)?.[1]);
    return [...new Set(found.filter((name): name is string => name !== undefined))];
  }

  info(): SensorInfo | undefined {
    return this.state?.sensors.find((sensor) => sensor.name === this.sensor);
  }

  /** Shows a sensor, or the first one when there is none of that name. */
  choose(name: string): void {
    const names = this.sensorNames();
    const chosen = names.includes(name) ? name : (names[0] ?? '');
    if (chosen !== this.sensor) {
      this.sensor = chosen;
      this.inbox.clear();
      this.frame.clear();
      this.statistics = null;
      this.pictures.hide();
      this.knobs.choose(chosen);
      this.redraw();
    }
    this.layout.header.showSensors(names, chosen);
    const own = ['points', 'rays', 'image', 'statistics'].map((topic) => `/${chosen}/${topic}`);
    this.client.want(['/fathom/state', '/fathom/knobs', '/tf', '/tf_static', ...(chosen ? own : [])]);
  }

  async call(service: string, request: unknown): Promise<void> {
    try {
      const answer = await this.client.call(service, request);
      const written = answer.files ?? answer.file;
      if (answer.error) {
        this.notes.toast(String(answer.error), true);
      } else if (written) {
        this.notes.toast(`Wrote ${[written].flat().join(', ')}`);
      }
    } catch (error) {
      this.notes.toast((error as Error).message, true);
    }
  }

  /** Colours and draws everything again. */
  redraw(): void {
    this.recolour = true;
    this.loop.ask();
  }

  change(settings: Partial<Settings>): void {
    Object.assign(this.settings, settings);
    save(this.settings);
    this.restyle();
  }

  private restyle(): void {
    this.layout.showSettings(this.settings);
    applyTheme(this.settings.theme);
    this.view.setColours(colourOf('--sky'), colourOf('--grid'));
    this.redraw();
  }

  private receive(topic: string, payload: DataView): void {
    if (topic === '/fathom/state') {
      this.takeState(JSON.parse(textOf(payload)));
    } else if (topic === '/fathom/knobs') {
      this.takeKnobs(JSON.parse(textOf(payload)).knobs);
    } else if (topic === '/tf' || topic === '/tf_static') {
      this.tree.apply(readTransforms(payload));
      this.view.paths.advance(this.tree);
      this.loop.ask();
    } else {
      this.inbox.put(topic, payload);
      this.loop.ask();
    }
  }

  private takeState(state: State): void {
    if (this.state && (state.time_s < this.state.time_s - 1e-9 || state.scene !== this.state.scene)) {
      this.view.paths.clear();
    }
    this.state = state;
    this.notes.keep('scene', state.error);
    this.view.paths.follow(state.sensors.map((sensor) => sensor.frame_id));
    this.transport.update(state);
    this.layout.showState(state, this.client);
    this.choose(this.sensor);
  }

  private takeKnobs(knobs: Knob[]): void {
    this.knobs.load(knobs, this.sensor);
    this.client.watchParameters(this.knobs.names());
  }

  private draw(): void {
    try {
      this.takeMessages();
    } catch (error) {
      this.notes.keep('message', (error as Error).message);
    }
    this.view.draw();
    this.counts.draws++;
  }

  private takeMessages(): void {
    const take = (kind: string) => this.inbox.take(`/${this.sensor}/${kind}`);
    const [rays, points, image, statistics] = [take('rays'), take('points'), take('image'), take('statistics')];
    if (rays) {
      this.frame.readRays(rays);
    }
    if (points) {
      this.frame.readPoints(points);
      this.pictures.fit(this.info());
      this.notes.keep('message', null);
      this.counts.frames++;
      this.counts.firstMs ||= performance.now();
    }
    if (image) {
      this.pictures.drawDepth(image);
    }
    if (statistics) {
      this.statistics = JSON.parse(textOf(statistics));
    }
    if (points || rays || this.recolour) {
      this.pictures.draw(this.view, this.tree);
    }
    if (statistics || this.recolour) {
      this.histogram.update(this.statistics?.errors ?? null);
      this.losses.update(this.statistics, this.state?.reasons ?? []);
    }
    this.recolour = false;
  }
}
