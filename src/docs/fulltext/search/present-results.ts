import type { FullTextResult } from '../../../../generated/docs/sdk/types.gen.ts';
import type { BodyCodec } from '../../../storage/index.ts';
import { isCodeDocument, tokenizeCode } from '../../../text/code/index.ts';
import { highlight } from '../../../text/highlight/index.ts';
import { tokenize } from '../../../text/tokenize.ts';
import type { Curated } from '../../curation/index.ts';
import { Pace, projectDocument, type Meta } from '../../documents/index.ts';
import type { TextIndex } from '../view/text-index.ts';
import type { Found } from './find-documents.ts';
import { hasEdits, matchedTerms } from './matched-terms.ts';
import type { SearchRequest } from './request.ts';
import { WordMatcher } from './word-matcher.ts';

/** A result with the bytes of text that it carries, which a token budget counts. */
export interface PresentedResult {
  readonly result: FullTextResult;
  readonly bytes: number;
}

/** Whether results need their bodies, if only to look for the words in them. */
export function needsBodies({ projection, highlight: options, plan }: SearchRequest): boolean {
  return projection.body || options !== undefined || plan.wanted.some(hasEdits);
}

/** Results as they are answered: documents in part, the terms they match, and passages around those. */
export async function presentResults(codec: BodyCodec, index: TextIndex, request: SearchRequest, found: readonly Curated<Found>[]): Promise<PresentedResult[]> {
  const terms = matchedTerms(index, request.plan, found.map(({ ord }) => ord));
  const matcher = new WordMatcher(request.plan);
  const pace = new Pace();
  const presented: PresentedResult[] = [];
  for (const one of found) {
    const contentMd = one.row.body === null ? '' : await codec.decodeAsync(one.row.body);
    presented.push(present(request, matcher, one, contentMd, terms.get(one.ord)!));
    await pace.rest();
  }
  return presented;
}

function present(request: SearchRequest, matcher: WordMatcher, { row, score, pinned }: Curated<Found>, contentMd: string, terms: Set<string>): PresentedResult {
  const { projection, highlight: options, plan } = request;
  const meta = JSON.parse(row.meta) as Record<string, string[]>;
  const tokens = isCodeDocument({ key: row.key, meta }) ? tokenizeCode : tokenize;
  const match = (form: string): string | undefined => matcher.match(form);
  if (plan.wanted.some(hasEdits)) for (const term of wordsMatched([...tokens(contentMd), ...metaTokens(meta)], match)) terms.add(term);
  const document = projectDocument({
    id: row.id, key: row.key, lang: row.lang, meta, contentMd, addedAt: row.added_at, updatedAt: row.updated_at,
    ...(row.expires_at !== null && { expiresAt: row.expires_at }),
  }, projection);
  const highlights = options && highlight(contentMd, { ...options, match, tokens });
  const passages = highlights?.reduce((bytes, { startOffset, endOffset }) => bytes + endOffset - startOffset, 0) ?? 0;
  return {
    result: { document, score, matchedTerms: [...terms], ...(highlights && { highlights }), ...(pinned && { pinned }) },
    bytes: projection.body ? row.bytes + passages : passages,
  };
}

/** Terms that words of a document were found for by edits; each form is looked at once. */
function wordsMatched(tokens: readonly { readonly form: string }[], match: (form: string) => string | undefined): string[] {
  const forms = new Set(tokens.map(({ form }) => form));
  return [...forms].map(match).filter((term) => term !== undefined);
}

function metaTokens(meta: Meta): { readonly form: string }[] {
  return Object.values(meta).flat().flatMap((value) => tokenize(value));
}
