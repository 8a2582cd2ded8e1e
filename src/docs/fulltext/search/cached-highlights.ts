import type { Highlight } from '../../../../generated/docs/sdk/types.gen.ts';
import { keepJson } from '../../../operations/index.ts';
import type { ResultRow } from '../../search/index.ts';

/** Maximum bytes of remembered passages of all collections together. */
const MOST_BYTES = 16 * 2 ** 20;
/** Bytes that a passage takes besides its texts, and a document besides its passages. */
const OVERHEAD = 256;

/** Identifies the version of a document: its metadata, and the length, checksum and time of its body. */
export type Version = Pick<ResultRow, 'ord' | 'key' | 'lang' | 'updated_at' | 'rev_ts' | 'crc' | 'bytes' | 'meta'>;

/** The passages of documents for one finder and the same options, by ordinal. */
interface Group {
  readonly options: string;
  readonly entries: Map<number, Entry>;
  /** All groups of the finder, by their options. */
  readonly siblings: Map<string, Group>;
}

/** The passages of a row, and the number of bytes of the metadata and the body that they were made from. */
export interface BarePassages {
  readonly passages: readonly Highlight[];
  readonly contentBytes: number;
}

interface Entry extends BarePassages {
  readonly group: Group;
  readonly version: Version;
  readonly bytes: number;
  /** A shared row without content that is of this version. */
  bare: ResultRow | undefined;
}

/**
 * The passages that queries have recently shown of documents, so that their bodies need not be read again. A document
 * is identified by its ordinal and its version, and a query by the object that finds its words, which is a different
 * object if it finds other words.
 */
export class CachedHighlights {
  readonly #groups = new WeakMap<object, Map<string, Group>>();
  /** The least recently used first. */
  readonly #entries = new Set<Entry>();
  #bytes = 0;

  get bytes(): number {
    return this.#bytes;
  }

  /** Whether passages of any version of a document are remembered. */
  has(finder: object, options: string, ord: number): boolean {
    return this.#find(finder, options, ord) !== undefined;
  }

  /**
   * The passages remembered for exactly this version and the same `finder` and options. Callers must not change the
   * list. They belong to `bare`, too, which is the shared row of that version without its content, if there is one.
   */
  find(finder: object, options: string, version: Version, bare?: ResultRow): readonly Highlight[] | undefined {
    const known = this.#find(finder, options, version.ord);
    if (known === undefined || !isSame(known.version, version)) return undefined;
    if (bare !== undefined) known.bare = bare;
    this.#use(known);
    return known.passages;
  }

  /** The passages that belong to a row without content. Callers must not change the list. */
  findBare(finder: object, options: string, bare: ResultRow): BarePassages | undefined {
    const known = this.#find(finder, options, bare.ord);
    if (known?.bare !== bare) return undefined;
    this.#use(known);
    return known;
  }

  /** Replaces what was remembered of another version. The list must not be changed any more. */
  keep(finder: object, options: string, version: Version, passages: readonly Highlight[], bare?: ResultRow): void {
    const former = this.#find(finder, options, version.ord);
    if (former !== undefined) this.#forget(former);
    const jsonBytes = keepJson(passages);
    const bytes = passages.reduce((sum, { fragment }) => sum + OVERHEAD + sizeOf(fragment),
      OVERHEAD + jsonBytes + 2 * (options.length + (version.meta?.length ?? 0)));
    if (bytes > MOST_BYTES) return;
    const { ord, key, lang, updated_at, rev_ts, crc, bytes: length, meta } = version;
    const group = this.#groupOf(finder, options);
    const entry: Entry = {
      group,
      version: { ord, key, lang, updated_at, rev_ts, crc, bytes: length, meta },
      passages,
      bytes,
      contentBytes: length + Buffer.byteLength(meta ?? ''),
      bare,
    };
    group.entries.set(ord, entry);
    this.#entries.add(entry);
    this.#bytes += bytes;
    for (const oldest of this.#entries) {
      if (this.#bytes <= MOST_BYTES) return;
      this.#forget(oldest);
    }
  }

  /** Makes an entry the most recently used. */
  #use(entry: Entry): void {
    this.#entries.delete(entry);
    this.#entries.add(entry);
  }

  #find(finder: object, options: string, ord: number): Entry | undefined {
    return this.#groups.get(finder)?.get(options)?.entries.get(ord);
  }

  #groupOf(finder: object, options: string): Group {
    let siblings = this.#groups.get(finder);
    if (siblings === undefined) this.#groups.set(finder, siblings = new Map());
    let group = siblings.get(options);
    if (group === undefined) siblings.set(options, group = { options, entries: new Map(), siblings });
    return group;
  }

  #forget(entry: Entry): void {
    const { group: { options, entries, siblings }, version: { ord }, bytes } = entry;
    this.#bytes -= bytes;
    this.#entries.delete(entry);
    entries.delete(ord);
    if (entries.size === 0) siblings.delete(options);
  }
}

function isSame(one: Version, other: Version): boolean {
  return one.crc === other.crc && one.bytes === other.bytes && one.rev_ts === other.rev_ts &&
    one.updated_at === other.updated_at
    && one.meta === other.meta && one.key === other.key && one.lang === other.lang;
}

/** Bytes of a text in memory: characters beyond Latin-1 make each take two. */
function sizeOf(text: string): number {
  return /[^\0-\u00ff]/.test(text) ? 2 * text.length : text.length;
}
