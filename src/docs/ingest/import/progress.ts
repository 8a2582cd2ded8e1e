import type { BatchResult } from '../../documents/index.ts';

/** Number of items between two lines of the response. */
const STEP = 1000;

/** Maximum number of failures in a line. */
const MAX_ERRORS = 50;

/** The counts of one batch. */
export type Counted = Omit<BatchResult, 'errors'> & { readonly errors: readonly string[] };

/** How an import ended: successfully, or with the part of its failure that the client may see. */
export type Ending = { readonly done: true } | { readonly error: string; readonly code: string };

/**
 * The progress of an import. Its reader gets a line when there is new progress; if progress is faster than the reader,
 * it is combined into one line, so that a client that does not read delays nothing and needs no memory.
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
  #reported = 0;
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
    if (this.#processed - this.#reported >= STEP) this.#news.resolve();
  }

  end(ending: Ending): void {
    this.#ending = ending;
    this.#news.resolve();
  }

  /** The lines of the response; the last one tells how the import ended. */
  async *lines(): AsyncGenerator<string> {
    for (;;) {
      await this.#news.promise;
      this.#news = Promise.withResolvers();
      const ending = this.#ending;
      yield this.#line(ending);
      if (ending !== undefined) return;
      // There may have been progress for another line while this one was sent.
      if (this.#ending !== undefined || this.#processed - this.#reported >= STEP) this.#news.resolve();
    }
  }

  #line(ending: Ending | undefined): string {
    const errors = this.#errors;
    this.#errors = [];
    this.#reported = this.#processed;
    return `${
      JSON.stringify({
        processed: this.#processed,
        added: this.#added,
        updated: this.#updated,
        skipped: this.#skipped,
        failed: this.#failed,
        errors,
        ...(this.#embeddingDropped > 0 && { embeddingDropped: this.#embeddingDropped }),
        ...(this.#sanitized > 0 && { sanitized: this.#sanitized }),
        ...ending,
      })
    }\n`;
  }
}
