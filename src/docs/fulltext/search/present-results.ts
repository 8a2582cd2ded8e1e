import type { Document, FullTextResult } from '../../../../generated/docs/sdk/types.gen.ts';
import type { BodyCodec } from '../../../storage/index.ts';
import { isCodeDocument, tokenizeCode } from '../../../text/code/index.ts';
import { highlight } from '../../../text/highlight/index.ts';
import { tokenize } from '../../../text/tokenize.ts';
import type { Curated } from '../../curation/index.ts';
import { Pace, projectDocument } from '../../documents/index.ts';
import type { Found } from './find-documents.ts';
import type { SearchRequest } from './request.ts';
import type { ResultRow } from './result-rows.ts';
import { WordMatcher } from './word-matcher.ts';

/** A result with the bytes of text that it carries, which a token budget counts. */
export interface PresentedResult {
  readonly result: FullTextResult;
  readonly bytes: number;
}

/** Whether results need their bodies, if only for passages of them. */
export function needsBodies({ projection, highlight: options }: SearchRequest): boolean {
  return projection.body || options !== undefined;
}

/** Results as they are answered: documents in part, the terms they match, and passages around those. */
export async function presentResults(codec: BodyCodec, request: SearchRequest, found: readonly Curated<Found>[]): Promise<PresentedResult[]> {
  const matcher = new WordMatcher(request.plan);
  const pace = new Pace();
  const presented: PresentedResult[] = [];
  for (const one of found) {
    const contentMd = one.row.body === null ? '' : await codec.decodeAsync(one.row.body);
    presented.push(present(request, matcher, one, contentMd));
    await pace.rest();
  }
  return presented;
}

function present(request: SearchRequest, matcher: WordMatcher, { row, score, terms, pinned }: Curated<Found>, contentMd: string): PresentedResult {
  const { projection, highlight: options } = request;
  const meta = JSON.parse(row.meta) as Record<string, string[]>;
  const document = projectDocument(toDocument(row, meta, contentMd), projection);
  const tokens = isCodeDocument({ key: row.key, meta }) ? tokenizeCode : tokenize;
  const highlights = options && highlight(contentMd, { ...options, match: (form) => matcher.match(form), tokens });
  const passages = highlights?.reduce((bytes, { startOffset, endOffset }) => bytes + endOffset - startOffset, 0) ?? 0;
  return {
    result: { document, score, matchedTerms: [...terms], ...(highlights && { highlights }), ...(pinned && { pinned }) },
    bytes: projection.body ? row.bytes + passages : passages,
  };
}

export function toDocument(row: ResultRow, meta: Document['meta'], contentMd: string): Document {
  return {
    id: row.id, key: row.key, lang: row.lang, meta, contentMd, addedAt: row.added_at, updatedAt: row.updated_at,
    ...(row.expires_at !== null && { expiresAt: row.expires_at }),
  };
}
