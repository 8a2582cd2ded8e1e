import type { DocumentNode } from 'graphql';
import { Lru } from '../../../lib/lru.ts';

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
  readonly #entries: Lru<string, Entry>;

  constructor(maxEntries: number, maxBytes: number) {
    this.#entries = new Lru(maxBytes, { maxEntries, sizeOf: ({ bytes }) => bytes });
  }

  get size(): number {
    return this.#entries.size;
  }

  get(text: string): DocumentNode | undefined {
    return this.#entries.get(text)?.document;
  }

  /**
   * `nodes`: the number of nodes in the document. A document that uses more than a tenth of the memory limit is not
   * cached.
   */
  set(text: string, document: DocumentNode, nodes: number): void {
    const bytes = text.length * 2 + nodes * NODE_BYTES;
    if (bytes <= this.#entries.capacity / 10) this.#entries.set(text, { document, bytes });
  }
}
