import { Pace } from '../../../lib/pace.ts';
import type { OrdSet } from '../view/ord-set.ts';
import { CONTENT, type TextHit } from '../view/text-index.ts';
import { languagesOfQuery } from './query-languages.ts';
import { prepareFor } from './query-plan.ts';
import type { SearchDeps } from './search-full-text.ts';

export interface WordsQuery {
  readonly collection: string;
  /** Plain words: nothing in it is an operator. */
  readonly text: string;
  /** The only documents that may be found; all when absent. */
  readonly eligible: OrdSet | undefined;
  readonly limit: number;
}

/** The documents whose bodies a text's words find, by BM25 (decision D-82), best first. For areas that show documents in their own way. Throws `index_loading`. */
export async function rankByWords(deps: SearchDeps, { collection, text, eligible, limit }: WordsQuery): Promise<readonly TextHit[]> {
  const { settings, dictionaries, plans } = deps;
  const plan = plans.plan(text, {
    mode: 'simple', distance: 0, fuzzy: 0, languages: languagesOfQuery(deps, collection),
    stemming: settings.stemming,
    synonymsOf: settings.synonyms ? dictionaries.synonymsOf(collection) : undefined,
  });
  const pace = new Pace();
  while (!prepareFor(deps.view.indexOf(collection), plan)) await pace.rest();
  // Asked for again, since another may have taken its place meanwhile.
  const found = deps.view.indexOf(collection)?.search({
    readings: plan.readings, algorithm: 'bm25', fields: [CONTENT], limit, ...(eligible && { filter: eligible }),
  });
  return found?.hits ?? [];
}
