import type { Highlight } from '../../../../generated/docs/sdk/types.gen.ts';
import type { ResultRow } from '../../documents/index.ts';

/** Maximum bytes of remembered passages of all collections together. */
const MOST_BYTES = 16 * 2 ** 20;
/** Bytes that a passage takes besides its text, and a document besides its passages. */
const OVERHEAD = 256;

/** Identifies the version of a document: its metadata, and the length, checksum and time of its body. */
export type Version = Pick<ResultRow, 'ord' | 'key' | 'lang' | 'updated_at' | 'rev_ts' | 'crc' | 'bytes' | 'meta'>;

interface Entry {
  readonly version: Version;
  readonly passages: readonly Highlight[];
  readonly bytes: number;
}

/**
 * The passages that queries have recently shown of documents, so that their bodies need not be read again. A document is identified by its
 * ordinal and its version, and a query by the object that finds its words, which is a different object if it finds other words.
 */
export class CachedHighlights {
  readonly #entries = new Map<string, Entry>();
  readonly #numbers = new WeakMap<object, number>();
  #lastNumber = 0;
  #bytes = 0;

  get bytes(): number {
    return this.#bytes;
  }

  /** Whether passages of any version of a document are remembered. */
  has(finder: object, options: string, ord: number): boolean {
    return this.#entries.has(this.#nameOf(finder, options, ord));
  }

  /** The passages remembered for exactly this version and the same `finder` and options. Callers must not change the list. */
  find(finder: object, options: string, version: Version): readonly Highlight[] | undefined {
    const name = this.#nameOf(finder, options, version.ord);
    const known = this.#entries.get(name);
    if (known === undefined || !isSame(known.version, version)) return undefined;
    // Moved to the end: the first entry is the least recently used.
    this.#entries.delete(name);
    this.#entries.set(name, known);
    return known.passages;
  }

  /** Replaces what was remembered of another version. */
  keep(finder: object, options: string, version: Version, passages: readonly Highlight[]): void {
    const name = this.#nameOf(finder, options, version.ord);
    this.#forget(name);
    const bytes = passages.reduce((sum, { fragment }) => sum + OVERHEAD + 2 * fragment.length, OVERHEAD + 2 * (name.length + (version.meta?.length ?? 0)));
    if (bytes > MOST_BYTES) return;
    const { ord, key, lang, updated_at, rev_ts, crc, bytes: length, meta } = version;
    this.#entries.set(name, { version: { ord, key, lang, updated_at, rev_ts, crc, bytes: length, meta }, passages, bytes });
    this.#bytes += bytes;
    for (const oldest of this.#entries.keys()) {
      if (this.#bytes <= MOST_BYTES) return;
      this.#forget(oldest);
    }
  }

  /** The options come last, because they may hold any character. */
  #nameOf(finder: object, options: string, ord: number): string {
    let number = this.#numbers.get(finder);
    if (number === undefined) this.#numbers.set(finder, number = ++this.#lastNumber);
    return `${number} ${ord} ${options}`;
  }

  #forget(name: string): void {
    this.#bytes -= this.#entries.get(name)?.bytes ?? 0;
    this.#entries.delete(name);
  }
}

function isSame(one: Version, other: Version): boolean {
  return one.crc === other.crc && one.bytes === other.bytes && one.rev_ts === other.rev_ts && one.updated_at === other.updated_at
    && one.meta === other.meta && one.key === other.key && one.lang === other.lang;
}
