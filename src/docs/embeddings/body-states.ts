import type { Queries, Row } from '../../storage/index.ts';
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

/** Maximum number of documents that one statement reads. */
const STEP = 256;

/** Which documents exist, and which of them have vectors of their present bodies. */
export class BodyStates {
  readonly #queries: Queries;

  constructor(queries: Queries) {
    this.#queries = queries;
  }

  /** Passes the state of each document, undefined for a deleted one, without pauses in between. */
  async each(ords: readonly number[], take: (ord: number, state: BodyState | undefined) => void): Promise<void> {
    const states = new Map<number, BodyState>();
    for (let i = 0; i < ords.length; i += STEP) {
      for (const row of await this.#select(ords.slice(i, i + STEP))) states.set(row.ord, toState(row));
    }
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
