import type { ChangeFeed, Queries, Row } from '../../storage/index.ts';
import { inList } from '../documents/index.ts';
import type { EmbeddedBody } from './encoder/passage-rows.ts';

/** What the tables say of a document and of the body from which its vectors were made. */
export interface BodyState {
  /** Seconds since 1970; null if the document does not expire. */
  readonly expiresAt: number | null;
  /** Undefined if the document has no vectors. */
  readonly embedded: EmbeddedBody | undefined;
  /** Whether its vectors were made from its present body. */
  readonly isFresh: boolean;
}

interface StateRow extends Row {
  readonly ord: number;
  readonly expires_at: number | null;
  readonly crc: number;
  readonly bytes: number;
  readonly e_crc: number | null;
  readonly e_bytes: number;
  readonly chunking: string;
}

/** Maximum number of documents that are remembered, of some hundred bytes each, and that one statement reads. */
const REMEMBERED = 16_384;
const STEP = 256;

/**
 * The states of documents that were read since the last commit, by ordinal: every search by meaning needs those of its
 * candidates, and mostly of the same documents. A commit forgets all of them as soon as readers see it, so a state is
 * never older than one that is read now.
 */
export class RecentBodies {
  readonly #queries: Queries;
  readonly #states = new Map<number, BodyState>();
  /** Changes with every commit. */
  #version = 0;

  constructor(queries: Queries, feed: Pick<ChangeFeed, 'join'>) {
    this.#queries = queries;
    // It needs no past changes, so it does not hold back pruning.
    feed.join({ wake: () => this.#forget(), isEarly: true, position: () => undefined });
  }

  /** States by ordinal; deleted documents are left out. */
  async read(ords: Iterable<number>): Promise<ReadonlyMap<number, BodyState>> {
    const version = this.#version;
    const found = new Map<number, BodyState>();
    const unknown: number[] = [];
    for (const ord of new Set(ords)) {
      const state = this.#states.get(ord);
      if (state === undefined) unknown.push(ord);
      else found.set(ord, state);
    }
    for (let i = 0; i < unknown.length; i += STEP) {
      for (const row of await this.#select(unknown.slice(i, i + STEP))) {
        const state = toState(row);
        found.set(row.ord, state);
        if (version === this.#version && this.#states.size < REMEMBERED) this.#states.set(row.ord, state);
      }
    }
    return found;
  }

  /**
   * Passes the state of each document, undefined for a deleted one, without pauses in between. If all are remembered,
   * as they are soon, this takes a third of the time of `read`.
   */
  async each(ords: readonly number[], take: (ord: number, state: BodyState | undefined) => void): Promise<void> {
    const states = ords.every((ord) => this.#states.has(ord)) ? this.#states : await this.read(ords);
    for (const ord of ords) take(ord, states.get(ord));
  }

  #select(ords: readonly number[]): Promise<StateRow[]> {
    const { marks, params } = inList(ords);
    return this.#queries.all<StateRow>(
      `SELECT d.ord, d.expires_at, d.crc, d.bytes, e.crc AS e_crc, e.bytes AS e_bytes, e.chunking
       FROM documents d LEFT JOIN embeddings e ON e.ord = d.ord WHERE d.ord IN (${marks})`,
      params,
    );
  }

  #forget(): void {
    this.#version++;
    this.#states.clear();
  }
}

function toState(
  { ord, expires_at: expiresAt, crc, bytes, e_crc: embeddedCrc, e_bytes: embeddedBytes, chunking }: StateRow,
): BodyState {
  if (embeddedCrc === null) return { expiresAt, embedded: undefined, isFresh: false };
  return {
    expiresAt,
    embedded: { ord, crc: embeddedCrc, bytes: embeddedBytes, chunking },
    isFresh: embeddedCrc === crc && embeddedBytes === bytes,
  };
}
