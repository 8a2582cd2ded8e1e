import type { OrdSet } from '../../../lib/ord-set.ts';
import { Pace } from '../../../lib/pace.ts';
import { CONTENT, type TextHit } from '../view/text-index.ts';
import { languagesOfQuery } from './query-languages.ts';
import { planQuery, prepareFor } from './query-plan.ts';
import type { SearchDeps } from './search-full-text.ts';

export interface WordsQuery {
  readonly collection: string;
  /** Plain words: no character in it is an operator. */
  readonly text: string;
  /** The only documents that may be found; all when absent. */
  readonly eligible: OrdSet | undefined;
  readonly limit: number;
}

/**
 * The documents whose bodies match the words of a text, by BM25 (decision D-82), best first. For areas that present
 * documents in their own way. Throws `index_loading`.
 */
export async function rankByWords(deps: SearchDeps,
  { collection, text, eligible, limit }: WordsQuery): Promise<readonly TextHit[]>
{
  const { settings, dictionaries } = deps;
  const plan = planQuery(text, {
    mode: 'simple',
    distance: 0,
    fuzzy: 0,
    languages: languagesOfQuery(deps, collection),
    stemming: settings.stemming,
    synonymsOf: settings.synonyms ? dictionaries.synonymsOf(collection) : undefined,
  });
  const pace = new Pace();
  while (!prepareFor(deps.view.indexOf(collection), plan)) await pace.rest();
  // Read again, because another index may have replaced it in the meantime.
  const found = deps.view.indexOf(collection)?.search({
    readings: plan.readings,
    algorithm: 'bm25',
    fields: [CONTENT],
    limit,
    ...(eligible && { filter: eligible }),
  });
  return found?.hits ?? [];
}
