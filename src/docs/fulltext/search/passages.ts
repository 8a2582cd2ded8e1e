import type { Highlight } from '../../../../generated/docs/sdk/types.gen.ts';
import type { ResultRow } from '../../search/index.ts';
import type { TextIndex } from '../view/text-index.ts';
import type { CachedHighlights } from './cached-highlights.ts';
import type { CachedMatchers } from './cached-matchers.ts';
import { highlightsOf } from './highlights.ts';
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
export async function withPassages<T>({ matchers: all, highlights, rows }: PassageDeps, request: Request,
  options: Options, index: TextIndex | undefined, work: (passages: Passages) => Promise<T>): Promise<T>
{
  const { matchers, keep } = all.of(request.plan, index);
  const name = nameOf(request, options);
  const result = await work({
    known: (row) => {
      const matcher = matcherIn(matchers, index, row.ord);
      return matcher && highlights.find(matcher, name, row, rows.bareOf(row));
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

/** The remembered passages of an answer without bodies, which need not be read for them. */
export class RememberedPassages {
  readonly #deps: PassageDeps;
  readonly #plan: SearchRequest['plan'];
  readonly #options: string;
  /** Whether the answer shows nothing else of contents. */
  readonly areEnough: boolean;
  /** Those of shared rows without content. */
  readonly #found = new Map<ResultRow, readonly Highlight[]>();

  constructor(deps: PassageDeps, request: Request, options: Options, areEnough: boolean) {
    this.#deps = deps;
    this.#plan = request.plan;
    this.#options = nameOf(request, options);
    this.areEnough = areEnough;
  }

  /** Those of some documents whose passages are remembered, of whatever version. */
  bodilessOf(index: TextIndex, ords: readonly number[]): ReadonlySet<number> {
    const { matchers, keep } = this.#deps.matchers.of(this.#plan, index);
    const known = new Set(ords.filter((ord) => {
      const matcher = matcherIn(matchers, index, ord);
      return matcher !== undefined && this.#deps.highlights.has(matcher, this.#options, ord);
    }));
    keep();
    return known;
  }

  /**
   * Whether the passages of all of these documents are remembered for the rows that are shared until the next commit;
   * `of` returns them then. `mostBytes`: of contents that could be read otherwise (`ContentReader`), where the first
   * may have any size.
   */
  findAll(index: TextIndex, ords: readonly number[], mostBytes: number): boolean {
    const { rows, highlights, matchers: all } = this.#deps;
    const { matchers, keep } = all.of(this.#plan, index);
    let left = mostBytes;
    for (const [i, ord] of ords.entries()) {
      const row = rows.known(ord);
      const matcher = row && matcherIn(matchers, index, ord);
      const known = matcher && highlights.findBare(matcher, this.#options, row!);
      if (known === undefined || (known.contentBytes > left && i > 0)) return false;
      left -= known.contentBytes;
      this.#found.set(row!, known.passages);
    }
    keep();
    return true;
  }

  /** The passages of a shared row that `findAll` found. */
  of(row: ResultRow): readonly Highlight[] | undefined {
    return this.#found.get(row);
  }
}

/** Compared with the version in the index: passages of another version of a document are not used. */
function matcherIn(matchers: ReturnType<CachedMatchers['of']>['matchers'], index: TextIndex | undefined, ord: number):
  | WordMatcher
  | undefined
{
  const documentClass = index?.classOf(ord);
  return documentClass === undefined ? undefined : matchers.ofClass(documentClass);
}

/**
 * Everything besides the words and the document that determines the passages; the tag comes last, because it may hold
 * any character.
 */
function nameOf({ fields }: Request, { maxHighlights, fragmentSize, escape, highlightTag }: Options): string {
  return `${fields?.join() ?? ''} ${maxHighlights} ${fragmentSize} ${escape} ${highlightTag}`;
}
