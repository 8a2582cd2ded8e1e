import { Buffers, type InvertedKernel } from '../../kernels/inverted.ts';

/** A filter in the memory of the index, as a bitmap by document. */
export interface KnownFilter {
  /** Number of its place (asm/inverted/filters.ts). */
  readonly slot: number;
  /** Documents that pass it, deleted ones included. */
  readonly documents: number;
}

/** Most filters that are kept, however small. */
const MOST_SLOTS = 1024;

/**
 * The filters of recent searches, translated from ordinals to documents. One is known by the identity of its words, which must not
 * change, and is good until documents come or go. When the room is taken, the filter that was used least recently makes room.
 */
export class Filters {
  readonly #kernel: InvertedKernel;
  #version = '';
  #known = new WeakMap<Uint32Array, KnownFilter>();
  /** By slot, the one used least recently first. */
  readonly #kept = new Map<number, KnownFilter>();

  constructor(kernel: InvertedKernel) {
    this.#kernel = kernel;
  }

  /** Makes the kernel ready to translate bitmaps; after `prepareLevels`, before a filter is asked for or matches are collected. */
  prepare(): void {
    const version = this.#kernel.documentsVersion();
    if (version === this.#version) return;
    this.#version = version;
    this.#known = new WeakMap();
    this.#kept.clear();
    this.#kernel.call.noteSteps();
  }

  /** A filter with a bit for each ordinal, in the memory of the index. `room` is how many bytes filters may take; there is one in any case. */
  find(words: Uint32Array, room: number): KnownFilter {
    const known = this.#known.get(words);
    if (known !== undefined && this.#kept.get(known.slot) === known) {
      this.#kept.delete(known.slot);
      this.#kept.set(known.slot, known);
      return known;
    }
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
    const [oldest] = this.#kept.keys();
    this.#kept.delete(oldest!);
    return oldest!;
  }
}
