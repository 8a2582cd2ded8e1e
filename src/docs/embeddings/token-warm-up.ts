import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import type { Row, Sql } from '../../storage/index.ts';
import type { TokenMatching } from './token-matching.ts';

export interface TokenWarmUpOptions {
  readonly sql: Pick<Sql, 'background'>;
  readonly clock: Clock;
  readonly log: Log;
  readonly matching: Pick<TokenMatching, 'model' | 'fill'>;
  /** Whether the processor is free, because no document waits for its vectors. */
  readonly isIdle: () => boolean;
  /** Whether bodies of a collection can be read without a request to another server. */
  readonly isLocal: (collection: string) => boolean;
}

/** Minimum milliseconds between the beginnings of two passes. */
const AGAIN_MS = 5000;
/** Number of documents that are read between two checks for other work: some milliseconds. */
const DOCUMENTS = 16;

/**
 * Caches the tokens of documents in the background, in the order in which they were written, until the cache is full.
 * The first search starts it. Without it, many searches after a start would read 40 bodies each.
 */
export class TokenWarmUp {
  readonly #options: TokenWarmUpOptions;
  readonly #abort = new AbortController();
  #running: Promise<void> | undefined;
  #began = -Infinity;
  /** The last document that was read; those that are written again later are read by the search that finds them. */
  #last = 0;

  constructor(options: TokenWarmUpOptions) {
    this.#options = options;
  }

  /**
   * Call this at each search: reads the documents that are new since the last pass, unless that is running or began a
   * moment ago.
   */
  wake(): void {
    const now = this.#options.clock.now();
    if (this.#running !== undefined || this.#abort.signal.aborted || now < this.#began + AGAIN_MS) return;
    this.#began = now;
    this.#running = this.#pass().finally(() => (this.#running = undefined));
  }

  /** Ends the current pass and prevents further ones; harmless when repeated. */
  async stop(): Promise<void> {
    this.#abort.abort();
    await this.#running;
  }

  /** Never rejects: a later pass continues after a failure. */
  async #pass(): Promise<void> {
    const { log, isIdle } = this.#options;
    const { signal } = this.#abort;
    try {
      while (!signal.aborted && isIdle() && await this.#step());
    } catch (error) {
      if (!signal.aborted)
        log.warn({ err: error },
          'the tokens of documents could not be read in the background; a later search tries again');
    }
  }

  /** Reads some documents. Returns whether there may be more to read. */
  async #step(): Promise<boolean> {
    const { sql, matching, isLocal } = this.#options;
    const { model } = matching;
    if (model === undefined) return false;
    const rows = await sql.background.all<Row & { readonly ord: number; readonly name: string }>(
      `SELECT e.ord, c.name FROM embeddings e JOIN embedding_models m ON m.id = e.model_id JOIN collections c ON c.id = e.cid
       WHERE e.ord > ? AND m.model = ? AND m.variant = ? ORDER BY e.ord LIMIT ?`,
      [this.#last, model.model, model.variant, DOCUMENTS],
    );
    if (rows.length === 0 || !(await matching.fill(rows.filter(({ name }) => isLocal(name)).map(({ ord }) => ord))))
      return false;
    this.#last = rows.at(-1)!.ord;
    return true;
  }
}
