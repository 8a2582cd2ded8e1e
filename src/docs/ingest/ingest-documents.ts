import type { Operations } from '../../../generated/docs/operations.ts';
import type { KeyCollision } from '../../../generated/docs/sdk/types.gen.ts';
import { Pace } from '../../lib/pace.ts';
import { type Handlers, type InputOf, mayReadAll, type Standing } from '../../operations/index.ts';
import type { Sql } from '../../storage/index.ts';
import { splitFrontMatter } from '../../text/front-matter.ts';
import { urlKey } from '../../text/url-key.ts';
import type { Collections } from '../collections/index.ts';
import { type BatchItem, type Documents, identify, type Meta, repairItem, requireText } from '../documents/index.ts';
import { transactFor } from '../environment.ts';
import { changeFlags, type EffectiveOptions, effectiveOptions } from './profile.ts';

interface IngestDeps {
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
      embeddingDropped: embeddingDropped || undefined,
      sanitized: repaired || undefined,
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

/** An item as the pipeline passes it. */
type IngestDocument = InputOf<Operations, 'ingestDocuments'>['documents'][number];

/** The metadata key for the time at which a document was scraped. */
export const SCRAPED_AT = 'scraped_at';

/** The batch item of a scraped document. The writer checks it, so that the same rules apply as for other writes. */
function toItem(scraped: IngestDocument,
  { saveRevision, keyFrom }: Pick<EffectiveOptions, 'saveRevision' | 'keyFrom'>): KeyedItem
{
  const { key, url, lang, ttl, vectors, meta: given = {} } = scraped;
  const { meta: found, contentMd } = frontMatterOf(scraped);
  // Objects of unknown keys are spread, not assigned to: `__proto__` is only a key.
  const meta = { ...found, ...given, ...provenance(scraped) };
  // The key is derived from the URL where it is absent or empty.
  const source = key ? undefined : url || undefined;
  return {
    item: {
      key: source === undefined ? key : urlKey(source, keyFrom),
      lang,
      contentMd,
      meta,
      ttl,
      vectors,
      saveRevision,
    },
    url: source,
  };
}

/** Extracted front matter is removed from the body; the request's metadata override it. */
function frontMatterOf(
  { extractFrontmatter, contentMd }: IngestDocument,
): { meta: Meta; contentMd: string | undefined } {
  if (!extractFrontmatter || contentMd === undefined) return { meta: {}, contentMd };
  const { meta, body } = splitFrontMatter(contentMd);
  return { meta, contentMd: body };
}

/** The origin of the document (contract section 2); values that were not supplied are left out. */
function provenance({ url, scrapedAt, scraper }: IngestDocument): Meta {
  return {
    ...(url ? { source_url: [url] } : {}),
    ...(scrapedAt === undefined ? {} : { [SCRAPED_AT]: [String(scrapedAt)] }),
    ...(scraper ? { scraper: [scraper] } : {}),
  };
}

/** An item, with the URL from which its key was derived; undefined if the key was given. */
interface KeyedItem {
  readonly item: BatchItem;
  readonly url: string | undefined;
}

/** Items that name one document. */
interface Group {
  readonly lang: string;
  readonly keys: Set<string>;
  /** The URLs from which the key was derived, as they were written, by the page that they name. */
  readonly urls: Map<string, string>;
}

/**
 * Finds the items of a batch that name the same document: by keys that differ only in case (identity rule 3), or by
 * URLs of different pages with the same derived key. Items of the later pages are refused, so that no page overwrites
 * another. Items and collisions are in the order of the batch.
 */
function findCollisions(collection: string,
  keyed: readonly KeyedItem[]): { items: BatchItem[]; keyCollisions: KeyCollision[] }
{
  const groups = new Map<string, Group>();
  const items = keyed.map(({ item, url }) => {
    const { key, lang } = item;
    if (key === undefined || lang === undefined) return item;
    const { id } = identify(collection, key, lang);
    const group = groups.get(id) ?? { lang, keys: new Set(), urls: new Map() };
    groups.set(id, group);
    group.keys.add(key);
    return url === undefined || isFirstPage(group, url) ? item : { ...item, refused: sameKey(group) };
  });
  const collisions = [...groups.values()].filter(({ keys, urls }) => keys.size > 1 || urls.size > 1);
  return { items, keyCollisions: collisions.map(toCollision) };
}

function isFirstPage({ urls }: Group, url: string): boolean {
  const page = pageOf(url);
  if (!urls.has(page)) urls.set(page, url);
  return urls.keys().next().value === page;
}

/** URLs name the same page if they differ only in their fragment, or in how the same address is written. */
function pageOf(url: string): string {
  if (!URL.canParse(url)) return url;
  const page = new URL(url);
  page.hash = '';
  return page.href;
}

const SHOWN_URL = 200;

function sameKey({ urls }: Group): string {
  const first = urls.values().next().value!;
  const shown = first.length > SHOWN_URL ? `${first.slice(0, SHOWN_URL)}…` : first;
  return `url makes the key of ${shown}, which is in the same batch; give it a key of its own, or use keyFrom: url`;
}

function toCollision({ lang, keys, urls }: Group): KeyCollision {
  return { lang, keys: [...keys], urls: urls.size > 1 ? [...urls.values()] : undefined };
}
