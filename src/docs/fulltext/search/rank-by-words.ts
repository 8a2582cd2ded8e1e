import type { OrdSet } from '../../../lib/ord-set.ts';
import { CONTENT, type TextHit } from '../view/text-index.ts';
import { prepareIndex } from './ask-words.ts';
import { languagesOfQuery } from './query-languages.ts';
import { planQuery } from './query-plan.ts';
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
 * The documents whose bodies match the words of a text, by BM25, best first. For areas that present documents in their
 * own way. Throws `index_loading`.
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
  await prepareIndex(deps.view, collection, plan);
  const found = deps.view.indexOf(collection)?.search({
    readings: plan.readings,
    algorithm: 'bm25',
    fields: [CONTENT],
    limit,
    ...(eligible && { filter: eligible }),
  });
  return found?.hits ?? [];
}
