import type { Highlight } from '../../../../generated/docs/sdk/types.gen.ts';
import type { ResultRow } from '../../documents/index.ts';

/** Bytes of the passages that are remembered, of all collections together. */
const MOST_BYTES = 16 * 2 ** 20;
/** What a passage takes besides its text, and a document besides its passages. */
const OVERHEAD = 256;

/** What tells the version of a document: its metadata as they are, and its body by length, checksum and time. */
export type Version = Pick<ResultRow, 'ord' | 'key' | 'lang' | 'updated_at' | 'rev_ts' | 'crc' | 'bytes' | 'meta'>;

interface Entry {
  readonly version: Version;
  readonly passages: readonly Highlight[];
  readonly bytes: number;
}

/**
 * The passages that queries have lately shown of documents, so that their bodies need not be read again. A document is known by its
 * ordinal and its version, and a query by what finds its words, which is another object when it finds others.
 */
export class RememberedHighlights {
  readonly #entries = new Map<string, Entry>();
  readonly #numbers = new WeakMap<object, number>();
  #lastNumber = 0;
  #bytes = 0;

  get bytes(): number {
    return this.#bytes;
  }

  /** Whether passages of some version of a document are remembered. */
  has(finder: object, options: string, ord: number): boolean {
    return this.#entries.has(this.#nameOf(finder, options, ord));
  }

  /** The passages that were kept of this very version for the same `finder` and options. Nobody may change the list. */
  find(finder: object, options: string, version: Version): readonly Highlight[] | undefined {
    const name = this.#nameOf(finder, options, version.ord);
    const known = this.#entries.get(name);
    if (known === undefined || !isSame(known.version, version)) return undefined;
    // Moved to the end: the first entry is the one used longest ago.
    this.#entries.delete(name);
    this.#entries.set(name, known);
    return known.passages;
  }

  /** Takes the place of what was kept of another version. */
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

  /** The options come last, as they may hold anything. */
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
