import type { WordsHit } from '../../../search/fusion/fuse.ts';
import { gathered } from '../../../search/parts/index.ts';
import { headingsOf } from '../../../text/headings.ts';
import { textsOf } from '../view/document-texts.ts';
import type { CalledDocuments, ReadableText, TextQuery } from '../view/text-index.ts';
import { isUntitled } from '../view/to-indexed.ts';
import type { Name } from './query-plan.ts';
import type { SearchRequest } from './request.ts';
import type { SearchDeps } from './search-full-text.ts';

/** The first heading of a larger document is not read, to tell its title from others of the same words. */
const MOST_BYTES = 256 * 1024;

/** How well a name fits: the title as it was typed, its words, or the words of the key's last segment. */
const Fit = { title: 0, wordsOfTitle: 1, wordsOfKey: 2 } as const;
type Fit = (typeof Fit)[keyof typeof Fit];

/** What a search by words has found. */
interface FoundByWords {
  /** Best first. */
  readonly hits: readonly WordsHit[];
  /** The documents that are called like the query. */
  readonly called: CalledDocuments;
  readonly query: Omit<TextQuery, 'limit'>;
}

/**
 * Hits with the documents first that are called like the query and pass the filter, whatever is said elsewhere about
 * its words. Among them, those that fit better come first, then those with the higher score. Their scores become those
 * of the best hit to its double.
 */
export async function calledFirst(deps: Pick<SearchDeps, 'sql' | 'codec' | 'view'>,
  { collection, plan: { name } }: Pick<SearchRequest, 'collection' | 'plan'>,
  { hits, called: found, query }: FoundByWords): Promise<readonly WordsHit[]>
{
  const [first] = hits;
  const index = deps.view.indexOf(collection);
  if (first === undefined || name === undefined || index === undefined) return hits;
  const passing = (ords: readonly number[]) => ords.filter((ord) => query.filter?.has(ord) !== false);
  const byTitle = passing(found.byTitle);
  const byKey = passing(found.byKey).filter((ord) => !byTitle.includes(ord));
  const ords = [...byTitle, ...byKey];
  if (ords.length === 0) return hits;
  const fitting = await fits(deps, name, byTitle);
  const called = await gathered(() => inOrder(index, query, ords, fitting, name));
  if (called.length === 0) return hits;
  const known = new Set(called);
  return [...called.map((ord, i) => ({ ord, score: Math.fround(first.score * (2 - i / called.length)) })),
    ...hits.filter(({ ord }) => !known.has(ord))];
}

/** How well the titles fit that have the words of a name. They are read only if that decides something. */
async function fits({ sql, codec }: Pick<SearchDeps, 'sql' | 'codec'>, { text, isWords }: Name,
  ords: readonly number[]): Promise<ReadonlyMap<number, Fit>>
{
  const found = new Map<number, Fit>(ords.map((ord) => [ord, Fit.wordsOfTitle]));
  if (ords.length < 2 && isWords) return found;
  const typed = plain(text);
  for await (const { ord, meta, contentMd } of textsOf(sql, codec, ords, MOST_BYTES)) {
    const given = meta.title ?? [];
    const titles = isUntitled(given) ? headingsOf(contentMd).slice(0, 1) : given;
    if (titles.some((title) => plain(title) === typed)) found.set(ord, Fit.title);
  }
  return found;
}

function plain(text: string): string {
  return text.normalize('NFC').toLowerCase().trim();
}

/** Those that match, in their order; of a pattern, only documents with the title as it was typed are called so. */
function inOrder(index: ReadableText, query: Omit<TextQuery, 'limit'>, ords: readonly number[],
  fits: ReadonlyMap<number, Fit>, { isWords }: Name): number[]
{
  const scores = index.scoresOf(query, Uint32Array.from(ords));
  return ords.map((ord, i) => ({ ord, fit: fits.get(ord) ?? Fit.wordsOfKey, score: scores[i]! })).filter((
    { fit, score },
  ) => score >= 0 && (isWords || fit === Fit.title)).sort((a, b) => a.fit - b.fit || b.score - a.score || a.ord - b.ord)
    .map(({ ord }) => ord);
}
