import { Buffers, type InvertedKernel } from '../../kernels/inverted.ts';
import { Lru } from '../../lib/caches.ts';

/** A filter in the memory of the index, as a bitmap by document. */
export interface KnownFilter {
  /** Its slot (asm/inverted/filters.ts). */
  readonly slot: number;
  /** Number of documents that pass it, including deleted ones. */
  readonly documents: number;
}

/** Maximum number of filters that are kept, regardless of their size. */
const MOST_SLOTS = 1024;

/**
 * The filters of recent searches, translated from ordinals to documents. A filter is recognised by the identity of its
 * words, which must not change, and is valid until a document is added or removed. When the capacity is used up, the
 * least recently used filter is evicted.
 */
export class Filters {
  readonly #kernel: InvertedKernel;
  #version = '';
  #known = new WeakMap<Uint32Array, KnownFilter>();
  /** By slot. */
  readonly #kept = new Lru<number, KnownFilter>(MOST_SLOTS);

  constructor(kernel: InvertedKernel) {
    this.#kernel = kernel;
  }

  /**
   * Prepares the kernel to translate bitmaps; must be called after `prepareLevels`, and before a filter is used or
   * matches are collected.
   */
  prepare(): void {
    const version = this.#kernel.documentsVersion();
    if (version === this.#version) return;
    this.#version = version;
    this.#known = new WeakMap();
    this.#kept.clear();
    this.#kernel.call.noteSteps();
  }

  /**
   * Returns a filter, given as a bit for each ordinal, in the memory of the index. `room` is the number of bytes that
   * filters may use; at least one filter is always kept.
   */
  find(words: Uint32Array, room: number): KnownFilter {
    const known = this.#known.get(words);
    if (known !== undefined && this.#kept.get(known.slot) === known) return known;
    const slot = this.#freeSlot(room);
    this.#kernel.write(Buffers.filter, words);
    const added = { slot, documents: this.#kernel.call.translateFilter(slot, words.length * 32) };
    this.#known.set(words, added);
    this.#kept.set(slot, added);
    return added;
  }

  #freeSlot(room: number): number {
    const slots = Math.min(Math.max(1, Math.floor(room / this.#kernel.call.filterBytes())), MOST_SLOTS);
    if (this.#kept.size < slots) return this.#kept.size;
    const slot = this.#kept.oldest!;
    this.#kept.delete(slot);
    return slot;
  }
}
