import { block, completed, copied, u32 } from '../lib/checked-blocks.ts';

/** A part of a memory, in bytes. */
export type Piece = readonly [from: number, to: number];

/** What a checkpoint begins with. The header is written as JSON. */
export interface CheckpointHead {
  readonly magic: Uint8Array;
  readonly format: number;
  readonly header: object;
}

/**
 * The memory of a kernel at one moment, to be written while the kernel continues to work. Before the memory changes,
 * what is not written yet has to be copied.
 */
export class MemorySnapshot {
  readonly #kernel: { readonly bytes: Uint8Array };
  readonly #head: CheckpointHead;
  /** Pieces that are still to be read from the memory. */
  readonly #pending: Piece[];
  /** Pieces that were copied, and are written before the others; each becomes a block. */
  readonly #copied: Buffer[] = [];

  constructor(kernel: { readonly bytes: Uint8Array }, head: CheckpointHead, pieces: readonly Piece[]) {
    this.#kernel = kernel;
    this.#head = head;
    this.#pending = [...pieces];
  }

  /**
   * Copies pieces that are not yet written, at least one, for about this many milliseconds; returns whether any are
   * left. When all are copied, the memory may change.
   */
  copy(milliseconds: number, now: () => number): boolean {
    const end = now() + milliseconds;
    while (this.#pending.length > 0) {
      this.#copied.push(copied(this.#kernel.bytes.subarray(...this.#pending.shift()!)));
      if (now() >= end) break;
    }
    return this.#pending.length > 0;
  }

  /** The bytes of the checkpoint: its head, its pieces, and a zero. */
  async *bytes(): AsyncGenerator<Uint8Array> {
    const { magic, format, header } = this.#head;
    yield Buffer.concat([magic, u32(format), block(Buffer.from(JSON.stringify(header)))]);
    for (let piece = this.#next(); piece !== undefined; piece = this.#next()) yield piece;
    yield u32(0);
  }

  #next(): Buffer | undefined {
    const first = this.#copied.shift();
    if (first !== undefined) return completed(first);
    const pending = this.#pending.shift();
    return pending && block(this.#kernel.bytes.subarray(...pending));
  }
}
