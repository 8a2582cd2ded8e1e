import type { OrdSet } from '../../../lib/ord-set.ts';
import type { Columns, Scores, SortedDocument } from '../../../search/columns/index.ts';
import type { Mark, SortKey } from '../../../search/order/index.ts';
import type { TextIndex, TextQuery } from '../view/text-index.ts';

export interface SortPage {
  /** Number of documents to skip. */
  readonly offset: number;
  readonly count: number;
  /** Position at which the previous page ended. */
  readonly after: Mark | undefined;
}

/** The parts of a query that its matches were found with. */
type Searched = Pick<TextQuery, 'readings' | 'algorithm' | 'fieldWeights' | 'factors'>;

/** A page of the matches in another order than by score, of those after the end of the previous page. */
export function sortMatches(index: Pick<TextIndex, 'scoresOf'>, query: Searched, columns: Pick<Columns, 'sort'>,
  matches: OrdSet, keys: readonly SortKey[], page: SortPage): readonly SortedDocument[]
{
  const isByScore = keys.some(({ column }) => column.kind === 'score');
  return columns.sort(matches, { keys, ...page, ...(isByScore && { scores: scoresOf(index, query, matches) }) });
}

/** In arrays of numbers, because a search must not allocate an object for each match. */
function scoresOf(index: Pick<TextIndex, 'scoresOf'>, { factors, ...query }: Searched, matches: OrdSet): Scores {
  const ords = matches.ordinals();
  const scores = index.scoresOf(query, ords);
  if (factors !== undefined) { for (let i = 0; i < ords.length; i++) scores[i]! *= factors[ords[i]!] ?? 1; }
  return { ords, scores };
}
