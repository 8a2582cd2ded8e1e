import type { Relay, RelayedNote } from '../../docs/index.ts';

/** Milliseconds for which notes wait for others to share a message. */
const BATCH_MS = 20;

/** Collects what the primary must record: with authentication, each request makes one or two notes. */
export class NoteBatch implements Relay {
  readonly #send: (notes: readonly RelayedNote[]) => void;
  #notes: RelayedNote[] = [];
  #used = new Set<string>();

  constructor(send: (notes: readonly RelayedNote[]) => void) {
    this.#send = send;
  }

  add(note: RelayedNote): void {
    if (note.kind === 'key-use') {
      if (this.#used.has(note.hash)) return;
      this.#used.add(note.hash);
    }
    if (this.#notes.length === 0) setTimeout(() => this.flush(), BATCH_MS).unref();
    this.#notes.push(note);
  }

  flush(): void {
    const notes = this.#notes;
    [this.#notes, this.#used] = [[], new Set()];
    if (notes.length > 0) this.#send(notes);
  }
}
