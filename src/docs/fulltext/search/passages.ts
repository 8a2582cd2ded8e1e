import type { Highlight } from '../../../../generated/docs/sdk/types.gen.ts';
import type { ResultRow } from '../../documents/index.ts';
import type { TextIndex } from '../view/text-index.ts';
import { highlightsOf } from './highlights.ts';
import type { CachedHighlights } from './cached-highlights.ts';
import type { CachedMatchers } from './cached-matchers.ts';
import type { RecentRows } from './recent-rows.ts';
import type { SearchRequest } from './request.ts';
import type { WordMatcher } from './word-matcher.ts';

export interface PassageDeps {
  readonly matchers: CachedMatchers;
  readonly highlights: CachedHighlights;
  readonly rows: Pick<RecentRows, 'known' | 'bareOf'>;
}

type Request = Pick<SearchRequest, 'plan' | 'fields'>;
type Options = NonNullable<SearchRequest['highlight']>;

/** Passages of the documents of one answer, by the words and bodies of that moment. */
export interface Passages {
  /** The remembered passages of a document, whose body need not be read for them. */
  known(row: ResultRow): readonly Highlight[] | undefined;
  /** The passages of a document from its body, which must be of the same version as the row. */
  find(row: ResultRow, meta: Record<string, string[]>, utf8: Buffer): readonly Highlight[];
}

/** Calls `work` with the passages that a request selects. */
export async function withPassages<T>({ matchers: all, highlights, rows }: PassageDeps, request: Request, options: Options, index: TextIndex | undefined, work: (passages: Passages) => Promise<T>): Promise<T> {
  const { matchers, keep } = all.of(request.plan, index);
  const name = nameOf(request, options);
  const result = await work({
    known: (row) => {
      const matcher = matcherIn(matchers, index, row.ord);
      if (matcher === undefined) return undefined;
      return isBare(row) ? highlights.findBare(matcher, name, row) : highlights.find(matcher, name, row, rows.bareOf(row));
    },
    find: (row, meta, contentMd) => {
      const matcher = matchers.of({ key: row.key, lang: row.lang, meta });
      if (matcher === undefined) return [];
      const found = highlightsOf(request, options, matcher, { key: row.key, meta, contentMd });
      // A matcher without forms is not remembered, so nothing would ever find its passages again.
      if (matcher.marks !== undefined) highlights.keep(matcher, name, row, found, rows.bareOf(row));
      return found;
    },
  });
  keep();
  return result;
}

/** A row whose metadata were not read: those of any document take two bytes at least. */
function isBare({ meta_bytes: bytes }: ResultRow): boolean {
  return bytes === 0;
}

/** What is remembered for the passages of one answer. */
export interface RememberedPassages {
  /** Those of some documents whose passages are remembered, of whatever version. */
  bodilessOf(index: TextIndex, ords: readonly number[]): ReadonlySet<number>;
  /** Whether the answer shows nothing else of the contents. */
  readonly isEnough: boolean;
  /** Whether the passages of all of these documents are remembered for their recent rows; `mostBytes` of contents could be read otherwise. */
  areKnown(index: TextIndex, ords: readonly number[], mostBytes: number): boolean;
}

export function rememberedPassages(deps: PassageDeps, request: Request, options: Options, isEnough: boolean): RememberedPassages {
  return {
    isEnough,
    bodilessOf: (index, ords) => bodilessOf(deps, request, options, index, ords),
    areKnown: (index, ords, mostBytes) => areKnown(deps, request, options, index, ords, mostBytes),
  };
}

function areKnown({ matchers: all, highlights, rows }: PassageDeps, request: Request, options: Options, index: TextIndex, ords: readonly number[], mostBytes: number): boolean {
  const { matchers } = all.of(request.plan, index);
  const name = nameOf(request, options);
  let left = Infinity;
  return ords.every((ord) => {
    const row = rows.known(ord);
    const matcher = row && matcherIn(matchers, index, ord);
    const bytes = matcher && highlights.bytesFor(matcher, name, row!);
    if (bytes === undefined || bytes > left) return false;
    // The first content may have any size (`ContentReader`).
    left = Math.min(left, mostBytes) - bytes;
    return true;
  });
}

function bodilessOf({ matchers: all, highlights }: PassageDeps, request: Request, options: Options, index: TextIndex, ords: readonly number[]): ReadonlySet<number> {
  const { matchers, keep } = all.of(request.plan, index);
  const name = nameOf(request, options);
  const known = new Set(ords.filter((ord) => {
    const matcher = matcherIn(matchers, index, ord);
    return matcher !== undefined && highlights.has(matcher, name, ord);
  }));
  keep();
  return known;
}

/** Compared with the version in the index: passages of another version of a document are not used. */
function matcherIn(matchers: ReturnType<CachedMatchers['of']>['matchers'], index: TextIndex | undefined, ord: number): WordMatcher | undefined {
  const documentClass = index?.classOf(ord);
  return documentClass === undefined ? undefined : matchers.ofClass(documentClass);
}

/** Everything besides the words and the document that determines the passages; the tag comes last, because it may hold any character. */
function nameOf({ fields }: Request, { maxHighlights, fragmentSize, escape, highlightTag }: Options): string {
  return `${fields?.join() ?? ''} ${maxHighlights} ${fragmentSize} ${escape} ${highlightTag}`;
}
