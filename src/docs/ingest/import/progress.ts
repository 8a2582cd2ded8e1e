import type { BatchResult } from '../../documents/index.ts';

/** Items from one line of the answer to the next. */
const STEP = 1000;

/** Failures that a line tells of. */
const MAX_ERRORS = 50;

/** What a batch adds to the counts. */
export type Counted = Omit<BatchResult, 'errors'> & { readonly errors: readonly string[] };

/** How an import ended: well, or with what the client may know of its failure. */
export type Ending = { readonly done: true } | { readonly error: string; readonly code: string };

/**
 * What has come of an import so far. Whoever reads it gets a line when there is news; news that come faster than they are read
 * go into one line, so that a client which does not read holds nothing up and takes no memory.
 */
export class Progress {
  #processed = 0;
  #added = 0;
  #updated = 0;
  #skipped = 0;
  #failed = 0;
  #embeddingDropped = 0;
  #sanitized = 0;
  #errors: string[] = [];
  #told = 0;
  #ending: Ending | undefined;
  #news = Promise.withResolvers<void>();

  add(items: number, { added, updated, skipped, failed, embeddingDropped, sanitized, errors }: Counted): void {
    this.#processed += items;
    this.#added += added;
    this.#updated += updated;
    this.#skipped += skipped;
    this.#failed += failed;
    this.#embeddingDropped += embeddingDropped;
    this.#sanitized += sanitized;
    this.#errors.push(...errors.slice(0, MAX_ERRORS - this.#errors.length));
    if (this.#processed - this.#told >= STEP) this.#news.resolve();
  }

  end(ending: Ending): void {
    this.#ending = ending;
    this.#news.resolve();
  }

  /** The lines of the answer, the last of which tells the end. */
  async *lines(): AsyncGenerator<string> {
    for (;;) {
      await this.#news.promise;
      this.#news = Promise.withResolvers();
      const ending = this.#ending;
      yield this.#line(ending);
      if (ending !== undefined) return;
      // What happened while the line went out may be the next one.
      if (this.#ending !== undefined || this.#processed - this.#told >= STEP) this.#news.resolve();
    }
  }

  #line(ending: Ending | undefined): string {
    const errors = this.#errors;
    this.#errors = [];
    this.#told = this.#processed;
    return `${JSON.stringify({
      processed: this.#processed, added: this.#added, updated: this.#updated, skipped: this.#skipped, failed: this.#failed, errors,
      ...(this.#embeddingDropped > 0 && { embeddingDropped: this.#embeddingDropped }),
      ...(this.#sanitized > 0 && { sanitized: this.#sanitized }),
      ...ending,
    })}\n`;
  }
}
