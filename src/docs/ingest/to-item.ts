import type { IngestDocument } from '../../../generated/docs/sdk/types.gen.ts';
import { splitFrontMatter } from '../../text/front-matter.ts';
import { urlKey } from '../../text/url-key.ts';
import type { BatchItem, Meta } from '../documents/index.ts';

/** The document that a scraped one becomes. The writer checks it, so that its rules are the same as everywhere. */
export function toItem(scraped: IngestDocument, saveRevision: boolean): BatchItem {
  const { lang, ttl, meta: given = {} } = scraped;
  const { meta: found, contentMd } = frontMatterOf(scraped);
  // Objects of unknown keys are spread, not assigned to: `__proto__` is only a key.
  const meta = { ...found, ...given, ...provenance(scraped) };
  return { key: keyOf(scraped), lang, contentMd, meta, ttl, saveRevision };
}

/** Derived from the URL where it is absent or empty (decision D-37). */
function keyOf({ key, url }: IngestDocument): string | undefined {
  return key === undefined || key === '' ? (url ? urlKey(url) : key) : key;
}

/** Front matter that is extracted leaves the body; the request's metadata win over it. */
function frontMatterOf({ extractFrontmatter, contentMd }: IngestDocument): { meta: Meta; contentMd: string | undefined } {
  if (!extractFrontmatter || contentMd === undefined) return { meta: {}, contentMd };
  const { meta, body } = splitFrontMatter(contentMd);
  return { meta, contentMd: body };
}

/** Where the document came from (contract section 2); what is not supplied is left out. */
function provenance({ url, scrapedAt, scraper }: IngestDocument): Meta {
  return {
    ...(url ? { source_url: [url] } : {}),
    ...(scrapedAt === undefined ? {} : { scraped_at: [String(scrapedAt)] }),
    ...(scraper ? { scraper: [scraper] } : {}),
  };
}
