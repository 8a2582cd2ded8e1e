import { Pace } from '../../../lib/pace.ts';
import { gathered } from '../../../search/parts/index.ts';
import type { FullTextView } from '../view/fulltext-view.ts';
import type { SearchRequest } from './request.ts';

/** Maximum milliseconds of looking for the compounds of the words of a query; then they are left out. */
const LOOKING_MS = 400;

/**
 * A request whose plan has the compounds of its words: where looking for them takes long, they are looked for in steps,
 * with pauses between them, and the request is resolved again.
 */
export async function withCompounds<R>(view: Pick<FullTextView, 'indexOf'>, resolve: () => R,
  wordsOf: (request: R) => Pick<SearchRequest, 'collection' | 'sought'>): Promise<R>
{
  const request = await gathered(resolve);
  const { collection, sought } = wordsOf(request);
  if (sought.length === 0) return request;
  const end = performance.now() + LOOKING_MS;
  const pace = new Pace();
  for (const { form, analyzer } of sought) {
    const isFound = (): boolean => view.indexOf(collection)?.prepareCompounds(form, analyzer) ?? true;
    while (performance.now() < end && !await gathered(isFound)) await pace.rest();
  }
  return gathered(resolve);
}
