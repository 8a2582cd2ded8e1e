import type { DocumentNode } from 'graphql';

interface Entry {
  readonly document: DocumentNode;
  readonly bytes: number;
}

/** Memory of one node in bytes, a generous estimate; texts are added to it. */
const NODE_BYTES = 300;

/**
 * Parsed and validated documents by their text. The least recently used ones are removed first, when there are too many
 * or they use too much memory.
 */
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

  /**
   * `nodes`: the number of nodes in the document. A document that uses more than a tenth of the memory limit is not
   * cached.
   */
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
