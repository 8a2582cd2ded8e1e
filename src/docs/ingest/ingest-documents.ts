import type { Operations } from '../../../generated/docs/operations.ts';
import type { IngestDocument } from '../../../generated/docs/sdk/types.gen.ts';
import type { Handlers } from '../../operations/index.ts';
import type { Sql } from '../../storage/index.ts';
import type { Collections } from '../collections/index.ts';
import { Pace, repairItem, requireText, type BatchItem, type Documents } from '../documents/index.ts';
import { keyCollisions } from './key-collisions.ts';
import { changeFlags, effectiveOptions } from './profile.ts';
import { toItem } from './to-item.ts';

export interface IngestDeps {
  readonly sql: Sql;
  readonly collections: Pick<Collections, 'configOf' | 'configure'>;
  readonly writer: Documents['writer'];
}

/**
 * `POST /v1/ingest` (contract section 4): scraped documents, never all or nothing (decision D-67).
 *
 * A duplicate is a document whose body has the CRC-32 and length of the one stored under its
 * identity, also by an earlier item of the batch. `textOnly` is about the conversion of files and has
 * no effect on `contentMd`, which is markdown already.
 */
export function ingestDocuments(deps: IngestDeps): Required<Handlers<Operations>>['ingestDocuments'] {
  return async ({ collection, documents, options = {} }, { signal }) => {
    const start = performance.now();
    requireText(collection);
    const chosen = effectiveOptions(options);
    const { items, repaired } = await toItems(documents, chosen.saveRevision);
    if (chosen.autoConfigureCollection) await autoConfigure(deps, collection);
    const { skipDuplicates } = chosen;
    const result = await deps.writer.put(collection, items, { skipDuplicates, flags: changeFlags(chosen), signal });
    const { added, updated, skipped, failed, errors, embeddingDropped } = result;
    return {
      added, updated, skipped, failed, errors, collection,
      durationMs: Math.round(performance.now() - start),
      profile: options.profile ?? 'default',
      keyCollisions: keyCollisions(collection, items),
      ...(embeddingDropped > 0 && { embeddingDropped }),
      ...(repaired > 0 && { sanitized: repaired }),
    };
  };
}

/** Text is repaired first, for URLs and front matter are read from it (decision D-39). */
async function toItems(documents: readonly IngestDocument[], saveRevision: boolean): Promise<{ items: BatchItem[]; repaired: number }> {
  const pace = new Pace();
  const items: BatchItem[] = [];
  let repaired = 0;
  for (const document of documents) {
    const sound = repairItem(document);
    if (sound.repaired) repaired++;
    items.push(toItem(sound.item, saveRevision));
    await pace.rest();
  }
  return { items, repaired };
}

/** A collection that has a configuration keeps it as it is. */
async function autoConfigure({ sql, collections }: IngestDeps, collection: string): Promise<void> {
  if (collections.configOf(collection) !== undefined) return;
  await sql.transaction((tx) => collections.configure(tx, collection, { type: 'scraping' }));
}
