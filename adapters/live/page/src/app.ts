// SPDX-License-Identifier: MIT
// The page: connects messages of the server, panels, and actions of the user.
import { readTransforms } from './cdr/messages';
import { Frame } from './data/frame';
import { sensorNames, wantedTopics } from './data/sensors';
import { applyTheme, load, onSystemTheme, save, type Settings } from './data/settings';
import { TransformTree } from './data/transform_tree';
import { Inbox, Loop, showPanels, takeMessages } from './intake';
import { makeKeys } from './keys';
import { Layout } from './layout';
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
    return sensorNames(this.state, this.channels.keys());
  }

  info(): SensorInfo | undefined {
    return this.state?.sensors.find((sensor) => sensor.name === this.sensor);
  }

  /** Shows a sensor; the first one if the name is unknown. */
  choose(name: string): void {
    const names = this.sensorNames();
    const chosen = names.includes(name) ? name : (names[0] ?? '');
    if (chosen !== this.sensor) {
      this.sensor = chosen;
      this.inbox.clear();
      this.frame.clear();
      this.statistics = null;
      this.pictures.hide();
      this.view.framed = false;  // another sensor sees another place
      this.knobs.choose(chosen);
      this.redraw();
    }
    this.layout.header.showSensors(names, chosen);
    this.client.want(wantedTopics(chosen));
  }

  /** Calls a service, and shows the files that it wrote or its error. */
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
    const news = this.guard(() => takeMessages(this, this.recolour));
    this.recolour = false;
    this.layout.wait.hidden = this.frame.count > 0;
    this.view.draw();  // before the panels, which are made while the cloud is drawn
    this.guard(() => news && showPanels(this, news));
    this.counts.draws++;
  }

  /** Shows an error of a message on the page. */
  private guard<T>(read: () => T): T | undefined {
    try {
      return read();
    } catch (error) {
      this.notes.keep('message', (error as Error).message);
      return undefined;
    }
  }
}
