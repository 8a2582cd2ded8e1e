import type { DocumentNode } from 'graphql';

interface Entry {
  readonly document: DocumentNode;
  readonly bytes: number;
}

/** What a node takes in memory, measured generously; texts come on top. */
const NODE_BYTES = 300;

/** Parsed and validated documents by their text. What was asked for longest ago goes first, when there are too many or they take too much. */
export class DocumentCache {
  readonly #entries = new Map<string, Entry>();
  readonly #maxEntries: number;
  readonly #maxBytes: number;
  #bytes = 0;

  constructor(maxEntries: number, maxBytes: number) {
    this.#maxEntries = maxEntries;
    this.#maxBytes = maxBytes;
  }

  get size(): number {
    return this.#entries.size;
  }

  get(text: string): DocumentNode | undefined {
    const entry = this.#entries.get(text);
    if (entry === undefined) return undefined;
    this.#entries.delete(text);
    this.#entries.set(text, entry);
    return entry.document;
  }

  /** `nodes`: how many the document has. One that takes more than a tenth of the room is not kept. */
  set(text: string, document: DocumentNode, nodes: number): void {
    const bytes = text.length * 2 + nodes * NODE_BYTES;
    if (bytes > this.#maxBytes / 10) return;
    this.#forget(text);
    this.#entries.set(text, { document, bytes });
    this.#bytes += bytes;
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size <= this.#maxEntries && this.#bytes <= this.#maxBytes) break;
      this.#forget(oldest);
    }
  }

  #forget(text: string): void {
    this.#bytes -= this.#entries.get(text)?.bytes ?? 0;
    this.#entries.delete(text);
  }
}
