// SPDX-License-Identifier: MIT
// The binary frames of the Foxglove WebSocket protocol, version 1. All numbers are little-endian.

export interface MessageData {
  op: 'message';
  subscription: number;
  stampNs: bigint;
  payload: DataView;
}

export interface ServiceResponse {
  op: 'response';
  service: number;
  call: number;
  encoding: string;
  payload: DataView;
}

export interface TimeStamp {
  op: 'time';
  stampNs: bigint;
}

const MESSAGE_HEAD = 13;
const RESPONSE_HEAD = 13;

function rest(view: DataView, from: number): DataView {
  return new DataView(view.buffer, view.byteOffset + from, view.byteLength - from);
}

/** Reads one frame that the server sent; null for frames that are too short or of an unknown kind. */
export function readFrame(view: DataView): MessageData | ServiceResponse | TimeStamp | null {
  const size = view.byteLength;
  const op = size > 0 ? view.getUint8(0) : 0;
  if (op === 1 && size >= MESSAGE_HEAD) {
    return { op: 'message', subscription: view.getUint32(1, true), stampNs: view.getBigUint64(5, true), payload: rest(view, MESSAGE_HEAD) };
  }
  if (op === 2 && size >= 9) {
    return { op: 'time', stampNs: view.getBigUint64(1, true) };
  }
  if (op === 3 && size >= RESPONSE_HEAD) {
    const length = view.getUint32(9, true);
    if (length > size - RESPONSE_HEAD) {
      return null;
    }
    const name = new Uint8Array(view.buffer, view.byteOffset + RESPONSE_HEAD, length);
    return {
      op: 'response',
      service: view.getUint32(1, true),
      call: view.getUint32(5, true),
      encoding: new TextDecoder().decode(name),
      payload: rest(view, RESPONSE_HEAD + length),
    };
  }
  return null;
}

/** The frame that calls a service with a JSON request. */
export function serviceRequest(service: number, call: number, request: unknown): Uint8Array<ArrayBuffer> {
  const encoding = new TextEncoder().encode('json');
  const body = new TextEncoder().encode(JSON.stringify(request));
  const out = new Uint8Array(13 + encoding.length + body.length);
  const view = new DataView(out.buffer);
  view.setUint8(0, 2);
  view.setUint32(1, service, true);
  view.setUint32(5, call, true);
  view.setUint32(9, encoding.length, true);
  out.set(encoding, 13);
  out.set(body, 13 + encoding.length);
  return out;
}

export function textOf(payload: DataView): string {
  return new TextDecoder().decode(payload);
}
