// SPDX-License-Identifier: MIT
import type { Notes } from './panel/notes';
import type { Client } from './protocol/client';

/** Calls a service and says what came of it: the files that it wrote, or why it could not. */
export async function callService(client: Client, notes: Notes, service: string, request: unknown): Promise<void> {
  try {
    const answer = await client.call(service, request);
    const written = answer.files ?? answer.file;
    if (answer.error) {
      notes.toast(String(answer.error), true);
    } else if (written) {
      notes.toast(`Wrote ${[written].flat().join(', ')}`);
    }
  } catch (error) {
    notes.toast((error as Error).message, true);
  }
}
