import { type Sql, type StoredRow, storedRows } from '../../storage/index.ts';
import type { Aim } from './reseal.ts';

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
