import type { Operations } from '../../../../generated/docs/operations.ts';
import { WikiDumpError } from '../../../convert/wiki/index.ts';
import { ServiceError } from '../../../errors/index.ts';
import type { Outbound } from '../../../net/index.ts';
import { type Handlers, mayReadAll, type OutputOf } from '../../../operations/index.ts';
import type { Sql } from '../../../storage/index.ts';
import { type BatchResult, type DocumentWriter, requireText } from '../../documents/index.ts';
import { changeFlags, effectiveOptions } from '../profile.ts';
import { convertDump, type ConvertedBatch } from './convert-dump.ts';
import { dumpSource } from './dump-source.ts';
import { toItems } from './page-items.ts';

/** Limits of a dump; 0 for no limit. */
export interface WikiLimits {
  readonly maxPages: number;
  /** Bytes of XML, unpacked. */
  readonly maxBytes: number;
}

export interface WikiDeps {
  readonly sql: Sql;
  readonly writer: DocumentWriter;
  readonly outbound: Pick<Outbound, 'fetch'>;
  readonly limits: WikiLimits;
}

type Result = OutputOf<Operations, 'importWiki'>;

/** Maximum number of failure reasons in a response: they show what is wrong with a dump of half a million pages. */
const MOST_ERRORS = 10;

/**
 * `POST /v1/import-wiki` (contract section 4): imports a dump page by page while it arrives, in memory that does not
 * grow with it. An error in the dump is reported after the pages before it are stored; if the client disconnects, the
 * import ends.
 */
export function importWiki(deps: WikiDeps): Required<Handlers<Operations>>['importWiki'] {
  return async (input, context) => {
    const { identity, signal } = context;
    const { collection, lang, file, profile, skipFts, namespaces, skipRedirects, maxPages, batchSize } = input;
    const start = performance.now();
    requireText(collection);
    const { maxPages: pageLimit, maxBytes: byteLimit } = deps.limits;
    const source = dumpSource(file, { outbound: deps.outbound, maxBytes: byteLimit, signal });
    const mayRead = mayReadAll(identity, collection);
    const chosen = effectiveOptions({ profile, skipFts }, mayRead);
    const tally = new Tally();
    const write = async (batch: ConvertedBatch): Promise<void> => {
      const items = await toItems(deps.sql, [...batch.documents], {
        collection,
        lang,
        saveRevision: chosen.saveRevision,
      });
      const skipDuplicates = chosen.skipDuplicates ? { ignoredMeta: [] } : undefined;
      const result = await deps.writer.put(collection, items, {
        skipDuplicates,
        flags: changeFlags(chosen),
        signal,
        by: context,
        chunk: batchSize,
        hidesStored: !mayRead,
      });
      tally.add(batch, result);
    };
    try {
      const options = {
        namespaces: namespaces.split(',').map(Number),
        skipRedirects,
        batchSize,
        maxPages,
        pageLimit,
        byteLimit,
        signal,
        ownsPieces: isArriving(file),
      };
      for await (const batch of convertDump(source, options)) await write(batch);
    } catch (error) {
      throw tally.failure(error);
    }
    return {
      ...tally.counts(),
      errors: tally.errors,
      collection,
      durationMs: Math.round(performance.now() - start),
      profile,
    };
  };
}

/** Whether the dump arrives with the request; only then the import owns its pieces. */
function isArriving(file: unknown): boolean {
  return !(file instanceof Blob || file instanceof URL);
}

class Tally {
  #imported = 0;
  #skipped = 0;
  #failed = 0;
  readonly errors: string[] = [];

  add({ skipped: leftOut, indexes }: ConvertedBatch, { added, updated, skipped, failed, errors }: BatchResult): void {
    this.#imported += added + updated;
    this.#skipped += leftOut + skipped;
    this.#failed += failed;
    for (const line of errors.slice(0, MOST_ERRORS - this.errors.length))
      this.errors.push(line.replace(/^\d+/, (index) => String(indexes[Number(index)] ?? index)));
  }

  counts(): Pick<Result, 'imported' | 'skipped' | 'failed'> {
    return { imported: this.#imported, skipped: this.#skipped, failed: this.#failed };
  }

  /** The error for an invalid dump, with the counts of what was stored before. */
  failure(error: unknown): unknown {
    if (!(error instanceof WikiDumpError)) return error;
    const before = this.#imported === 0 ? '' : `; ${this.#imported} pages were stored before`;
    return new ServiceError(error.isTooLarge ? 'payload_too_large' : 'invalid_argument',
      `file cannot be imported: ${error.message}${before}`, { cause: error, body: this.counts() });
  }
}
