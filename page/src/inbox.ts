// SPDX-License-Identifier: MIT
// Holds the newest message of each topic until the next picture: when messages come faster than pictures, older ones go.

export class Inbox {
  private messages = new Map<string, DataView>();

  put(topic: string, payload: DataView): void {
    this.messages.set(topic, payload);
  }

  take(topic: string): DataView | undefined {
    const message = this.messages.get(topic);
    this.messages.delete(topic);
    return message;
  }

  clear(): void {
    this.messages.clear();
  }
}
