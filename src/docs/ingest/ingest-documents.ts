import type { Operations } from '../../../generated/docs/operations.ts';
import { Pace } from '../../lib/pace.ts';
import { type Handlers, mayReadAll, type Standing } from '../../operations/index.ts';
import type { Sql } from '../../storage/index.ts';
import type { Collections } from '../collections/index.ts';
import { type Documents, repairItem, requireText } from '../documents/index.ts';
import { transactFor } from '../transact-for.ts';
import { findCollisions, type KeyedItem } from './key-collisions.ts';
import { changeFlags, type EffectiveOptions, effectiveOptions } from './profile.ts';
import { type IngestDocument, SCRAPED_AT, toItem } from './to-item.ts';

export interface IngestDeps {
  readonly sql: Sql;
  readonly collections: Pick<Collections, 'configOf' | 'configure'>;
  readonly writer: Documents['writer'];
}

/**
 * `POST /v1/ingest` (contract section 4): scraped documents; each succeeds or fails alone.
 *
 * A duplicate is a document that would not change body, metadata and expiry of the document with its identity, which
 * may be stored or come from an earlier item of the batch. The time at which it was scraped does not count: otherwise a
 * page that is scraped again would never be a duplicate. `textOnly` concerns the conversion of files and has no effect
 * on `contentMd`, which is markdown already.
 */
export function ingestDocuments(deps: IngestDeps): Required<Handlers<Operations>>['ingestDocuments'] {
  return async ({ collection, documents, options = {} }, context) => {
    const start = performance.now();
    requireText(collection);
    const mayRead = mayReadAll(context.identity, collection);
    const chosen = effectiveOptions(options, mayRead);
    const { keyed, repaired } = await toItems(documents, chosen);
    const { items, keyCollisions } = findCollisions(collection, keyed);
    if (chosen.autoConfigureCollection) await autoConfigure(deps, collection, context);
    const duplicates = chosen.skipDuplicates ? { ignoredMeta: [SCRAPED_AT] } : undefined;
    const result = await deps.writer.put(collection, items, {
      skipDuplicates: duplicates,
      flags: changeFlags(chosen),
      signal: context.signal,
      by: context,
      hidesStored: !mayRead,
    });
    const { added, updated, skipped, failed, errors, embeddingDropped } = result;
    return {
      added,
      updated,
      skipped,
      failed,
      errors,
      collection,
      durationMs: Math.round(performance.now() - start),
      profile: options.profile ?? 'default',
      keyCollisions,
      ...(embeddingDropped > 0 && { embeddingDropped }),
      ...(repaired > 0 && { sanitized: repaired }),
    };
  };
}

/** Text is repaired first, because URLs and front matter are read from it. */
async function toItems(documents: readonly IngestDocument[],
  options: EffectiveOptions): Promise<{ keyed: KeyedItem[]; repaired: number }>
{
  const pace = new Pace();
  const keyed: KeyedItem[] = [];
  let repaired = 0;
  for (const document of documents) {
    const sound = repairItem(document);
    if (sound.repaired) repaired++;
    keyed.push(toItem(sound.item, options));
    await pace.rest();
  }
  return { keyed, repaired };
}

/** An existing configuration of a collection is not changed. */
async function autoConfigure({ sql, collections }: IngestDeps, collection: string, by: Standing): Promise<void> {
  if (collections.configOf(collection) !== undefined) return;
  await transactFor(sql, by, (tx) => collections.configure(tx, collection, { type: 'scraping' }));
}
