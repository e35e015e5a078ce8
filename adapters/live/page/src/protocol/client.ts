// SPDX-License-Identifier: MIT
// A client of the Foxglove WebSocket protocol that reconnects by itself and subscribes to topics by name.
import type { Value } from './messages';
import { readFrame, serviceRequest, textOf } from './wire';

export interface Channel {
  id: number;
  topic: string;
  encoding: string;
  schemaName: string;
}

export interface Parameter {
  name: string;
  value?: Value;
}

export interface Listener {
  onOpen(): void;
  onClose(): void;
  onChannels(topics: Map<string, Channel>): void;
  onMessage(topic: string, payload: DataView): void;
  onParameters(parameters: Parameter[]): void;
  onStatus(level: number, message: string): void;
}

interface Call {
  resolve(answer: Record<string, unknown>): void;
  reject(error: Error): void;
}

export const PROTOCOLS = ['foxglove.sdk.v1', 'foxglove.websocket.v1'];
const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 4000;

export class Client {
  private socket: WebSocket | null = null;
  private wait = FIRST_WAIT_MS;
  private channels = new Map<string, Channel>();
  private services = new Map<string, number>();
  private wanted = new Set<string>();
  private subscriptions = new Map<string, number>();
  private topics = new Map<number, string>();
  private calls = new Map<number, Call>();
  private next = 1;

  constructor(private readonly url: string, private readonly listener: Listener) {}

  connect(): void {
    const socket = new WebSocket(this.url, PROTOCOLS);
    socket.binaryType = 'arraybuffer';
    this.socket = socket;
    socket.onopen = () => {
      this.wait = FIRST_WAIT_MS;
      this.listener.onOpen();
    };
    socket.onmessage = (event) => this.receive(event.data);
    socket.onclose = () => this.lost();
  }

  /** Subscribes to these topics and to no others; those that are not advertised yet follow when they are. */
  want(topics: Iterable<string>): void {
    this.wanted = new Set(topics);
    const gone: number[] = [];
    for (const [topic, id] of this.subscriptions) {
      if (!this.wanted.has(topic)) {
        gone.push(id);
        this.subscriptions.delete(topic);
        this.topics.delete(id);
      }
    }
    if (gone.length > 0) {
      this.send({ op: 'unsubscribe', subscriptionIds: gone });
    }
    this.subscribe();
  }

  watchParameters(names: string[]): void {
    this.send({ op: 'subscribeParameterUpdates', parameterNames: names });
  }

  setParameter(name: string, value: Value): void {
    this.send({ op: 'setParameters', parameters: [{ name, value }], id: `set-${this.next++}` });
  }

  has(service: string): boolean {
    return this.services.has(service);
  }

  call(service: string, request: unknown): Promise<Record<string, unknown>> {
    const id = this.services.get(service);
    if (id === undefined || this.socket?.readyState !== WebSocket.OPEN) {
      return Promise.reject(new Error(`${service} is not offered here`));
    }
    const call = this.next++;
    this.socket.send(serviceRequest(id, call, request));
    return new Promise((resolve, reject) => this.calls.set(call, { resolve, reject }));
  }

  private send(message: unknown): void {
    if (this.socket?.readyState === WebSocket.OPEN) {
      this.socket.send(JSON.stringify(message));
    }
  }

  private lost(): void {
    for (const call of this.calls.values()) {
      call.reject(new Error('the connection was lost'));
    }
    this.calls.clear();
    this.channels.clear();
    this.services.clear();
    this.subscriptions.clear();
    this.topics.clear();
    this.listener.onClose();
    setTimeout(() => this.connect(), this.wait);
    this.wait = Math.min(2 * this.wait, LONGEST_WAIT_MS);
  }

  private subscribe(): void {
    const subscriptions = [];
    for (const topic of this.wanted) {
      const channel = this.channels.get(topic);
      if (channel && !this.subscriptions.has(topic)) {
        const id = this.next++;
        this.subscriptions.set(topic, id);
        this.topics.set(id, topic);
        subscriptions.push({ id, channelId: channel.id });
      }
    }
    if (subscriptions.length > 0) {
      this.send({ op: 'subscribe', subscriptions });
    }
  }

  private receive(data: unknown): void {
    if (data instanceof ArrayBuffer) {
      this.receiveBinary(new DataView(data));
    } else if (typeof data === 'string') {
      this.receiveText(JSON.parse(data));
    }
  }

  private receiveBinary(data: DataView): void {
    const frame = readFrame(data);
    const topic = frame?.op === 'message' ? this.topics.get(frame.subscription) : undefined;
    if (frame?.op === 'message' && topic !== undefined) {
      this.listener.onMessage(topic, frame.payload);
    } else if (frame?.op === 'response') {
      const call = this.calls.get(frame.call);
      this.calls.delete(frame.call);
      call?.resolve(JSON.parse(textOf(frame.payload) || '{}'));
    }
  }

  private receiveText(message: any): void {
    switch (message.op) {
      case 'advertise':
        for (const channel of message.channels as Channel[]) {
          this.channels.set(channel.topic, channel);
        }
        this.channelsChanged();
        break;
      case 'unadvertise':
        this.unadvertise(new Set(message.channelIds as number[]));
        break;
      case 'advertiseServices':
        for (const service of message.services) {
          this.services.set(service.name, service.id);
        }
        break;
      case 'parameterValues':
        this.listener.onParameters(message.parameters);
        break;
      case 'status':
        this.listener.onStatus(message.level, message.message);
        break;
      case 'serviceCallFailure':
        this.calls.get(message.callId)?.reject(new Error(message.message));
        this.calls.delete(message.callId);
        break;
    }
  }

  private unadvertise(ids: Set<number>): void {
    for (const [topic, channel] of this.channels) {
      if (ids.has(channel.id)) {
        this.channels.delete(topic);
        this.topics.delete(this.subscriptions.get(topic) ?? -1);
        this.subscriptions.delete(topic);
      }
    }
    this.channelsChanged();
  }

  private channelsChanged(): void {
    this.subscribe();
    this.listener.onChannels(this.channels);
  }
}
