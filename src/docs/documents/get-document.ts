import type { Document } from '../../../generated/docs/sdk/types.gen.ts';
import { ServiceError } from '../../errors/index.ts';
import { unixSeconds } from '../../lib/clock.ts';
import { Reply } from '../../operations/index.ts';
import { subtagsOf } from '../../text/languages/index.ts';
import { shownVectors } from '../stored-vectors.ts';
import { CHECKED, type ChecksumRow, entityTag } from './checksums.ts';
import type { Deps, DocumentHandlers } from './deps.ts';
import { decodeVersion, findDocument, SHOWN, type ShownRow, toDocument, type WithBody } from './document-rows.ts';
import { identify } from './identity.ts';
import { notFound } from './item-rules.ts';

/** `POST /v1/get`: by a spelling that was once written (identity rule 2). */
export function getDocument(deps: Deps): DocumentHandlers['getDocument'] {
  return async ({ collection, key, lang, env, includeVectors = false, fallbackLangs = [] }) => {
    const document = await findInOneOf(deps, { collection, key, lang, includeVectors }, fallbackLangs);
    // A filled template is not a stored state of the document, so it has no checksum to compare.
    if (env !== undefined) return { ...document, contentMd: fillTemplate(document.contentMd, env) };
    // Which vectors are shown depends on the declared fields, too, so the response has no entity tag.
    return includeVectors ? document : new Reply(document, entityTag(document.checksum!));
  };
}

/**
 * The document in its language, or in the first of the other languages in which it exists. Another language without a
 * region stands for those with one, the lowest first.
 */
async function findInOneOf(deps: Deps, name: DocumentName, others: readonly string[]): Promise<Document> {
  const own = await lookUp(deps, name);
  if (own !== undefined) return own;
  for (const lang of others) {
    for (const tag of [lang, ...await tagsOf(deps, { ...name, lang })]) {
      const document = await lookUp(deps, { ...name, lang: tag });
      if (document !== undefined) return document;
    }
  }
  throw notFound();
}

/** The tags with subtags of a language in which a document exists. */
async function tagsOf({ sql }: Deps, { collection, key, lang }: DocumentName): Promise<string[]> {
  const found: string[] = [];
  for (const prefix of subtagsOf(lang)) {
    const { id: after } = identify(collection, key, prefix);
    // The greatest code point sorts after all continuations of the prefix.
    const rows = await sql.all<{ lang: string }>('SELECT lang FROM documents WHERE id > ? AND id < ? ORDER BY id', [
      after,
      `${after}\u{10ffff}`,
    ]);
    found.push(...rows.map((row) => row.lang));
  }
  return found;
}

interface DocumentName {
  readonly collection: string;
  readonly key: string;
  readonly lang: string;
  /** Whether the document carries its supplied vectors. */
  readonly includeVectors?: boolean | undefined;
}

/** The document in its current state, with its checksum; undefined if there is none. */
export async function lookUp(deps: Deps,
  { collection, key, lang, includeVectors = false }: DocumentName): Promise<Document | undefined>
{
  const { sql, clock } = deps;
  const row = await findDocument<WithVectors>(sql, `${SHOWN}, ${CHECKED}, d.body${includeVectors ? ', d.vectors' : ''}`,
    identify(collection, key, lang), unixSeconds(clock));
  const document = row && await decodeVersion(deps, row);
  const vectors = shownVectors(row?.vectors ?? null, deps.collections.configOf(collection)?.vectors);
  return document && vectors ? { ...document, vectors } : document;
}

type WithVectors = WithBody & ChecksumRow & { readonly vectors?: Uint8Array | null };

/** `GET /v1/doc-meta`: everything except the body, which is not read. */
export function getDocumentMeta({ sql, clock, checksums }: Deps): DocumentHandlers['getDocumentMeta'] {
  return async ({ collection, key, lang }) => {
    const row = await findDocument<ShownRow & ChecksumRow>(sql, `${SHOWN}, ${CHECKED}`, identify(collection, key, lang),
      unixSeconds(clock));
    if (row === undefined) throw notFound();
    const { contentMd: _, id, ...shown } = toDocument(row, '');
    const checksum = checksums.of(row);
    return new Reply({ id, collection, ...shown, checksum }, entityTag(checksum));
  };
}

/** Maximum number of characters of a filled body: small requests must not produce huge responses. */
export const MAX_FILLED = 64 * 2 ** 20;

/**
 * A `%%` that could open a placeholder. Its name and the closing `%%` are not consumed, since that `%%` may open the
 * next one.
 */
const OPENING = /%%(?=([^%\r\n]+)%%)/g;

/**
 * Replaces each `%%name%%` by the value of that name (contract section 4, `/v1/get` templating). A
 * placeholder without a value stays; its closing `%%` may open the next placeholder, as
 * in `Save 50%% now, %%name%%!`. Values are not searched for placeholders.
 * Throws `invalid_argument` when the result would be too long.
 */
export function fillTemplate(text: string, env: Readonly<Record<string, string>>): string {
  const parts: string[] = [];
  let length = text.length;
  let copied = 0;
  for (const { index, 1: name } of text.matchAll(OPENING)) {
    // The closing `%%` of a filled placeholder does not open another one.
    if (index < copied || !Object.hasOwn(env, name!)) continue;
    const value = env[name!]!;
    const end = index + name!.length + 4;
    length += value.length - (end - index);
    if (length > MAX_FILLED)
      throw new ServiceError('invalid_argument', `env makes the body longer than ${MAX_FILLED} characters`);
    parts.push(text.slice(copied, index), value);
    copied = end;
  }
  return parts.length === 0 ? text : parts.join('') + text.slice(copied);
}
