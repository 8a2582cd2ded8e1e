import { ServiceError } from '../../errors/index.ts';
import { applyDelta, type BodyCodec, deltaHead, encodeDelta, NEW_DOCUMENTS, type Queries, type Row, type Sealer,
  type StoredDocuments } from '../../storage/index.ts';
import type { CurrentRow } from './document-rows.ts';
import { runInSteps, type UnitOfWork } from './unit-of-work.ts';

/**
 * The number of a document's next revision. Numbers rise whatever the clock does, so that revisions of one second keep
 * their order and each can be named; their time is `updated_at`.
 */
export function nextRevision(newest: number): number {
  return newest + 1;
}

/**
 * Gives the newest revisions a copy of the version that is about to be replaced. Until then their columns are NULL,
 * which stands for the document's current version, so that a first write stores its body once. Call this before the
 * document changes.
 */
export async function detachNewest(work: UnitOfWork,
  documents: readonly Pick<CurrentRow, 'ord' | 'rev_ts'>[]): Promise<void>
{
  await runInSteps(work,
    `UPDATE revisions SET (backend, meta, body, vectors) = (SELECT d.backend, d.meta, d.body, d.vectors FROM documents d WHERE d.ord = revisions.ord)
     WHERE ord = ? AND ts = ? AND meta IS NULL`, documents.map(({ ord, rev_ts: newest }) => [ord, newest]));
}

/** Adds a revision that equals the document's current version. */
export async function addRevisions(work: UnitOfWork,
  revisions: readonly { ord: number; revision: number }[]): Promise<void>
{
  await runInSteps(work, 'INSERT INTO revisions(ord, ts, updated_at) VALUES (?, ?, ?)',
    revisions.map(({ ord, revision }) => [ord, revision, work.now]));
}

/** The same for documents that were just stored. */
export async function addFirstRevisions({ tx }: UnitOfWork, { cid, after }: StoredDocuments): Promise<void> {
  await tx.run(
    `INSERT INTO revisions(ord, ts, updated_at) SELECT ord, rev_ts, updated_at FROM documents WHERE ${NEW_DOCUMENTS}`,
    [after, cid],
  );
}

/** Deletes all but the newest `keep` revisions of each document and returns how many were deleted. */
export async function trimRevisions(work: UnitOfWork, ords: readonly number[], keep: number): Promise<number> {
  return runInSteps(work,
    'DELETE FROM revisions WHERE ord = ? AND ts <= (SELECT ts FROM revisions WHERE ord = ? ORDER BY ts DESC LIMIT ' +
      '1 OFFSET ?)', ords.map((ord) => [ord, ord, keep]));
}

/** A stored body as a reader finds it, decrypted. */
interface StoredBody extends Row {
  readonly body: Uint8Array;
}

/** NULL columns stand for the document's current version. */
const BODY_OF_LIVE =
  'SELECT CASE WHEN r.meta IS NULL THEN d.body ELSE r.body END AS body FROM revisions r JOIN documents d ON d.ord ' +
  '= r.ord WHERE r.ord = ? AND r.ts = ?';
const BODY_OF_DELETED = 'SELECT body FROM deleted_revisions WHERE ord = ? AND ts = ?';

/**
 * The bodies of a document's revisions, some of which are deltas against later ones. Read the newest first: the last
 * body that was read is the base of the next.
 */
export class RevisionBodies {
  readonly #queries: Queries;
  readonly #codec: BodyCodec;
  readonly #ord: number;
  readonly #select: string;
  #last: { readonly ts: number; readonly text: string } | undefined;

  /** `deleted`: whether the document is deleted, so that its revisions are in other tables. */
  constructor(queries: Queries, codec: BodyCodec, ord: number, deleted = false) {
    this.#queries = queries;
    this.#codec = codec;
    this.#ord = ord;
    this.#select = deleted ? BODY_OF_DELETED : BODY_OF_LIVE;
  }

  /** The text of a revision's body. Throws `internal` when it or one of its bases is damaged or missing. */
  async textOf(ts: number, stored: Uint8Array): Promise<string> {
    /** Deltas from this revision to the first whole body. */
    const deltas: { readonly ts: number; readonly stored: Uint8Array }[] = [];
    let at = { ts, stored };
    for (let head = deltaHead(at.stored); head !== undefined; head = deltaHead(at.stored)) {
      deltas.push(at);
      if (this.#last?.ts === head.base) break;
      at = { ts: head.base, stored: await this.#read(head.base, at.ts) };
    }
    let text = deltas.length > 0 && deltaHead(at.stored) !== undefined
      ? this.#last!.text
      : await this.#codec.decodeAsync(at.stored);
    for (const delta of deltas.reverse())
      text = Buffer.from(applyDelta(delta.stored, Buffer.from(text))).toString('utf8');
    this.#last = { ts, text };
    return text;
  }

  async #read(ts: number, needed: number): Promise<Uint8Array> {
    const row = ts > needed ? await this.#queries.get<StoredBody>(this.#select, [this.#ord, ts]) : undefined;
    if (row === undefined)
      throw new ServiceError('internal',
        `a stored body is corrupt: revision ${needed} is a delta against ${ts}, which is missing`);
    return row.body;
  }
}

/** A version that is about to be replaced by one that gets a revision. */
export interface Superseded {
  readonly ord: number;
  /** Timestamps of its revision and of the revision of the version that replaces it. */
  readonly ts: number;
  readonly nextTs: number;
  /** The body that replaces it; undefined if it stays. */
  readonly next: Uint8Array | undefined;
}

interface CurrentBody extends Row {
  readonly id: string;
  readonly body: Uint8Array | null;
}

/** These column names make the transaction decrypt the values (`OpenTransaction`). */
const CURRENT =
  'SELECT d.id, d.body FROM documents d JOIN revisions r ON r.ord = d.ord WHERE d.ord = ? AND r.ts = ? AND r.meta ' +
  'IS NULL';
const BEFORE =
  'SELECT d.id, r.body FROM revisions r JOIN documents d ON d.ord = r.ord WHERE r.ord = ? AND r.ts < ? ORDER BY ' +
  'r.ts DESC LIMIT 1';
const DETACH =
  'UPDATE revisions SET (backend, meta, vectors) = (SELECT d.backend, d.meta, d.vectors FROM documents d ' +
  'WHERE d.ord = revisions.ord), body = ? WHERE ord = ? AND ts = ? AND meta IS NULL';

/**
 * Stores the bodies of newest revisions as deltas against the version that replaces them (extreme mode). Bodies for
 * which a delta is not worthwhile are left to `detachNewest`. Trimming takes the oldest revisions first, so a base
 * outlives its deltas.
 */
export async function detachAsDeltas({ tx, pace }: UnitOfWork, versions: readonly Superseded[],
  sealer: Sealer | undefined): Promise<void>
{
  for (const { ord, ts, nextTs, next } of versions) {
    const current = await tx.get<CurrentBody>(CURRENT, [ord, ts]);
    if (current === undefined || current.body === null) continue;
    const before = await tx.get<CurrentBody>(BEFORE, [ord, ts]);
    const run = (before?.body ? deltaHead(before.body)?.run ?? 0 : 0) + 1;
    const delta = encodeDelta(current.body, next ?? current.body, { base: nextTs, run });
    if (delta !== undefined) await tx.run(DETACH, [sealer?.body(current.id, delta) ?? delta, ord, ts]);
    await pace.rest();
  }
}
