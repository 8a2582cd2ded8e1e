import { unixSeconds } from '../../lib/clock.ts';
import { Pace } from '../../lib/pace.ts';
import { type AnswerBudget, truncationOf } from '../../operations/index.ts';
import type { ValueCount } from '../../search/columns/index.ts';
import { selectDocuments } from '../columns/index.ts';
import type { Deps, DocumentHandlers } from './deps.ts';

/**
 * `GET /v1/meta-keys`: the keys in use and their distinct values, both sorted, with as many values as fit the response.
 */
export function listMetaKeys({ columns: view, clock }: Deps): DocumentHandlers['listMetaKeys'] {
  return async ({ collection, key, limit, offset }, { signal, budget }) => {
    const values = new Map<string, string[]>();
    const now = unixSeconds(clock);
    const pace = new Pace();
    let passedOver = 0;
    let found = 0;
    for (const name of key === undefined ? view.indexOf(collection)?.columns.keys() ?? [] : [key]) {
      signal.throwIfAborted();
      const selected = await selectDocuments(view, collection, { now, needs: { facets: [name] } });
      const wanted = limit - found;
      if (selected === undefined || wanted === 0) break;
      const before = offset - passedOver;
      const listed = selected.columns.facet(selected.documents, {
        field: name,
        isMeta: true,
        orderBy: 'value',
        limit: before + wanted,
      });
      passedOver += Math.min(before, listed.length);
      const fitting = fill(values, name, listed.slice(before), budget);
      found += fitting;
      if (budget.isSpent) break;
      await pace.rest();
    }
    return { meta: Object.fromEntries(values), ...truncationOf(budget.isSpent, offset + found) };
  };
}

/** Adds values of a key while they fit the response; returns how many were added. */
function fill(values: Map<string, string[]>, key: string, listed: readonly ValueCount[], budget: AnswerBudget): number {
  for (const [i, { value }] of listed.entries()) {
    const known = values.get(key);
    if (!budget.take(Buffer.byteLength(value) + (known === undefined ? Buffer.byteLength(key) : 0))) return i;
    if (known === undefined) values.set(key, [value]);
    else known.push(value);
  }
  return listed.length;
}
