import { flatMeta } from '../../../text/flatten-meta.ts';
import { urlKey } from '../../../text/url-key.ts';
import { keyOfPath } from './read-folder.ts';
import type { SourceDocument } from './source.ts';

export type RowResult = { readonly kind: 'document'; readonly document: SourceDocument } | { readonly kind: 'problem';
  readonly problem: string } | { readonly kind: 'skipped' };

export interface RowOptions {
  /** The language of rows without one. */
  readonly lang: string;
  /** The current time, in Unix seconds. */
  readonly now: number;
}

type Row = Readonly<Record<string, unknown>>;

/**
 * Returns the document of one NDJSON row. Three forms are accepted, also mixed: an exported Document `{key, lang, meta,
 * contentMd, expiresAt?}`, a parsed file `{path, lang, frontmatter, body}`, and a scraped page `{url, lang, contentMd}`
 * whose key is derived from its URL. A row whose `expiresAt` has passed is skipped. Other fields are
 * ignored, because rows come from many programs.
 */
export function documentFromRow(row: unknown, { lang, now }: RowOptions): RowResult {
  if (!isObject(row)) return problem('expected a JSON object');
  const key = keyOfRow(row);
  if (key === undefined) return problem('no key: expected `key`, `path` or `url`');
  const contentMd = row.contentMd ?? row.body;
  if (typeof contentMd !== 'string') return problem('no text: expected `contentMd` or `body`');
  const meta = row.meta ?? row.frontmatter ?? {};
  if (!isObject(meta)) return problem(`${row.meta === undefined ? 'frontmatter' : 'meta'}: expected a JSON object`);
  const ttl = ttlOfRow(row, now);
  if (ttl !== undefined && ttl <= 0) return { kind: 'skipped' };
  const ownLang = typeof row.lang === 'string' && row.lang !== '' ? row.lang : lang;
  return {
    kind: 'document',
    document: {
      key,
      lang: ownLang,
      contentMd,
      meta: withSource(flatMeta(meta), row),
      ...(ttl === undefined ? {} : { ttl }),
    },
  };
}

function keyOfRow(row: Row): string | undefined {
  if (isText(row.key)) return row.key;
  if (isText(row.path)) return keyOfPath(row.path);
  return isText(row.url) ? urlKey(row.url) : undefined;
}

/** Seconds until the document expires, zero or less if it has expired; undefined if it does not expire. */
function ttlOfRow(row: Row, now: number): number | undefined {
  if (typeof row.expiresAt === 'number' && row.expiresAt > 0) return Math.ceil(row.expiresAt - now);
  // A `ttl` of 0 means "never" in the contract.
  return typeof row.ttl === 'number' && row.ttl > 0 ? Math.ceil(row.ttl) : undefined;
}

/** The URL of a page becomes metadata, as with `/v1/ingest` (contract, section 2). */
function withSource(meta: SourceDocument['meta'], row: Row): SourceDocument['meta'] {
  return isText(row.url) && !Object.hasOwn(meta, 'source_url') ? { ...meta, source_url: [row.url] } : meta;
}

const problem = (text: string): RowResult => ({ kind: 'problem', problem: text });
const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';
const isObject = (value: unknown): value is Row => typeof value === 'object' && value !== null && !Array.isArray(value);
