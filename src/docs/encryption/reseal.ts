import type { Clock } from '../../lib/clock.ts';
import { Pace } from '../../lib/pace.ts';
import { type ChangeFeed, keyIdOfHead, keyIdOfText, type KeyRing, openBody, openMeta, openVector, openVectors, type Row,
  sealBody, sealMeta, sealVector, sealVectors, type Sql, type StoredRow, storedRows,
  type Transaction } from '../../storage/index.ts';
import { collectionOfId } from '../documents/index.ts';

/**
 * Which values to convert, and how. `concerns` selects them by the number of the key that encrypts them; undefined
 * means unencrypted.
 */
export interface Aim {
  readonly seals: boolean;
  concerns(keyId: number | undefined): boolean;
}

/** The outcome for some values. */
export interface Resealed {
  readonly written: number;
  readonly errors: readonly unknown[];
}

export interface ResealDeps {
  readonly sql: Sql;
  readonly feed: ChangeFeed;
  readonly clock: Clock;
  readonly keys: KeyRing;
}

interface StoredDocument extends Row {
  readonly ord: number;
  readonly cid: number;
  readonly document: string;
  readonly key: string;
  readonly lang: string;
  /** The names differ from the columns', so that the values are returned as they are stored. */
  readonly stored_meta: string | null;
  readonly stored_body: Uint8Array | null;
  readonly stored_vectors: Uint8Array | null;
}

const DOCUMENT =
  'SELECT ord, cid, id AS document, key, lang, meta AS stored_meta, body AS stored_body, vectors AS stored_vectors ' +
  'FROM documents WHERE ord = ?';
const REVISION = `
  SELECT d.ord, d.cid, d.id AS document, d.key, d.lang, r.meta AS stored_meta, r.body AS stored_body, r.vectors AS stored_vectors
  FROM revisions r JOIN documents d ON d.ord = r.ord WHERE r.ord = ? AND r.ts = ?`;

const DELETED = `
  SELECT n.ord, n.cid, n.id AS document, n.key, n.lang, r.meta AS stored_meta, r.body AS stored_body, r.vectors AS stored_vectors
  FROM deleted_revisions r JOIN deleted_documents n ON n.ord = r.ord WHERE r.ord = ? AND r.ts = ?`;

/**
 * Converts the values of some rows to an aim, in one transaction. They are read again, because they may have been
 * written or deleted since they were listed. Values that cannot be decrypted stay as they are and are reported. The
 * change feed gets the documents whose values were written; no revision is made and no event is sent (decisions,
 * section 3.3).
 */
export async function resealRows(deps: ResealDeps, rows: readonly StoredRow[], aim: Aim,
  then?: (tx: Transaction, resealed: Resealed) => Promise<void>): Promise<Resealed>
{
  return deps.sql.transaction(async (tx) => {
    const pass = new Pass(deps, tx, aim);
    for (const row of rows) await pass.take(row);
    await pass.appendChanges();
    await then?.(tx, pass);
    return pass;
  });
}

class Pass implements Resealed {
  written = 0;
  readonly errors: unknown[] = [];
  readonly #deps: ResealDeps;
  readonly #tx: Transaction;
  readonly #aim: Aim;
  readonly #pace = new Pace();
  readonly #changed = new Map<number, StoredDocument>();

  constructor(deps: ResealDeps, tx: Transaction, aim: Aim) {
    this.#deps = deps;
    this.#tx = tx;
    this.#aim = aim;
  }

  async take(row: StoredRow): Promise<void> {
    if (row.table === 'vectors') await this.#takeVector(row);
    else await this.#takeVersion(row);
    await this.#pace.rest();
  }

  async appendChanges(): Promise<void> {
    const { feed } = this.#deps;
    await feed.append(this.#tx, [...this.#changed.values()].map(({ ord, document, key, lang }) => (
      { kind: 'encryption.reseal', collection: collectionOfId(document), ord, docId: document, key, lang }
    )));
  }

  async #takeVersion({ table, ord, part }: StoredRow): Promise<void> {
    const isRevision = table !== 'documents';
    const query = table === 'documents' ? DOCUMENT : table === 'revisions' ? REVISION : DELETED;
    const found = await this.#tx.get<StoredDocument>(query, isRevision ? [ord, part] : [ord]);
    if (found === undefined) return;
    const { document: id, stored_meta: meta, stored_body: body, stored_vectors: vectors } = found;
    const { keys } = this.#deps;
    const newMeta = meta === null
      ? undefined
      : this.#convert(meta, keyIdOfText(meta), () => openMeta(keys, id, meta), (plain) => sealMeta(keys, id, plain));
    const newBody = body === null
      ? undefined
      : this.#convert(body, keyIdOfHead(body), () => openBody(keys, id, body), (plain) => sealBody(keys, id, plain));
    const newVectors = vectors === null
      ? undefined
      : this.#convert(vectors, keyIdOfHead(vectors), () => openVectors(keys, id, vectors),
        (plain) => sealVectors(keys, id, plain));
    if (newMeta === undefined && newBody === undefined && newVectors === undefined) return;
    const values = [newMeta ?? meta, newBody ?? body, newVectors ?? vectors];
    if (isRevision)
      await this.#tx.run(`UPDATE ${table} SET meta = ?, body = ?, vectors = ? WHERE ord = ? AND ts = ?`, [...values,
        ord, part]);
    else await this.#tx.run('UPDATE documents SET meta = ?, body = ?, vectors = ? WHERE ord = ?', [...values, ord]);
    if (table !== 'deleted_revisions') this.#changed.set(ord, found); // no view contains a deleted document
  }

  async #takeVector({ ord, space, part: chunk }: StoredRow): Promise<void> {
    const found = await this.#tx.get<{ stored_vector: Uint8Array }>(
      'SELECT vector AS stored_vector FROM vectors WHERE ord = ? AND space = ? AND chunk = ?',
      [ord, space, chunk],
    );
    if (found === undefined) return;
    const { stored_vector: vector } = found;
    const { keys } = this.#deps;
    const place = { ord, space, chunk };
    const next = this.#convert(vector, keyIdOfHead(vector), () => openVector(keys, place, vector),
      (plain) => sealVector(keys, place, plain));
    if (next === undefined) return;
    await this.#tx.run('UPDATE vectors SET vector = ? WHERE ord = ? AND space = ? AND chunk = ?', [next, ord, space,
      chunk]);
    const document = this.#changed.get(ord) ?? (await this.#tx.get<StoredDocument>(DOCUMENT, [ord]));
    if (document !== undefined) this.#changed.set(ord, document);
  }

  /** The value to store, undefined if it stays. */
  #convert<T>(stored: T, keyId: number | undefined, open: () => T, seal: (plain: T) => T): T | undefined {
    if (!this.#aim.concerns(keyId)) return undefined;
    try {
      const plain = keyId === undefined ? stored : open();
      this.written++;
      return this.#aim.seals ? seal(plain) : plain;
    } catch (error) {
      this.errors.push(error);
      return undefined;
    }
  }
}

/** Maximum number of rows, and of their bytes, in one transaction: all other writes wait for it. */
const BATCH_ROWS = 64;
const BATCH_BYTES = 1024 * 1024;

/** Consecutive rows of one table; `concerned` are those to convert. */
export interface StoredBatch {
  /** See `StoredRow`: values that were converted, or could not be, are listed again. */
  readonly isAgain: boolean;
  /** Number of values of all rows. */
  readonly values: number;
  /** Number of those values that the aim does not concern. */
  readonly skipped: number;
  readonly concerned: readonly StoredRow[];
}

/** The rows of a collection in batches of bounded size. */
export async function* storedBatches(sql: Sql, cid: number, aim: Aim): AsyncGenerator<StoredBatch> {
  for await (const rows of storedRows(sql, cid)) {
    let batch = new Batch();
    for (const row of rows) {
      if (batch.isFull) {
        yield batch;
        batch = new Batch();
      }
      batch.add(row, aim);
    }
    yield batch;
  }
}

class Batch implements StoredBatch {
  isAgain = false;
  values = 0;
  skipped = 0;
  readonly concerned: StoredRow[] = [];
  #bytes = 0;

  get isFull(): boolean {
    return this.concerned.length >= BATCH_ROWS || this.#bytes >= BATCH_BYTES;
  }

  add(row: StoredRow, aim: Aim): void {
    const concerned = row.keyIds.filter((keyId) => aim.concerns(keyId)).length;
    this.values += row.keyIds.length;
    this.skipped += row.keyIds.length - concerned;
    this.isAgain = row.isAgain;
    if (concerned === 0) return;
    this.concerned.push(row);
    this.#bytes += row.bytes;
  }
}
