import type { Operations } from '../../../generated/docs/operations.ts';
import type { InputOf } from '../../operations/index.ts';
import { splitFrontMatter } from '../../text/front-matter.ts';
import { urlKey } from '../../text/url-key.ts';
import type { Meta } from '../documents/index.ts';
import type { KeyedItem } from './key-collisions.ts';
import type { EffectiveOptions } from './profile.ts';

/** An item as the pipeline passes it. */
export type IngestDocument = InputOf<Operations, 'ingestDocuments'>['documents'][number];

/** The metadata key for the time at which a document was scraped. */
export const SCRAPED_AT = 'scraped_at';

/** The batch item of a scraped document. The writer checks it, so that the same rules apply as for other writes. */
export function toItem(scraped: IngestDocument,
  { saveRevision, keyFrom }: Pick<EffectiveOptions, 'saveRevision' | 'keyFrom'>): KeyedItem
{
  const { key, url, lang, ttl, meta: given = {} } = scraped;
  const { meta: found, contentMd } = frontMatterOf(scraped);
  // Objects of unknown keys are spread, not assigned to: `__proto__` is only a key.
  const meta = { ...found, ...given, ...provenance(scraped) };
  // The key is derived from the URL where it is absent or empty.
  const source = key ? undefined : url || undefined;
  return {
    item: { key: source === undefined ? key : urlKey(source, keyFrom), lang, contentMd, meta, ttl, saveRevision },
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
