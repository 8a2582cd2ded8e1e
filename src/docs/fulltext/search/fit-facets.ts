import { AnswerBudget } from '../../../operations/index.ts';
import type { FacetCount } from './count-facets.ts';

/** Fraction of an answer that its facets may use; the rest is for the results. */
const SHARE = 0.25;

export interface FittedFacets {
  readonly facets: Record<string, FacetCount[]>;
  readonly isTruncated: boolean;
}

/** The first values of each facet, as many as fit in the answer; their size is added to it. */
export function fitFacets(facets: Readonly<Record<string, readonly FacetCount[]>>, budget: AnswerBudget): FittedFacets {
  const bytes = budget.left * SHARE;
  const room = new AnswerBudget(bytes);
  const names = Object.keys(facets);
  // One value of each field in turn, so that one long facet does not exclude the values of the others.
  const counts = new Map(names.map((name) => [name, 0]));
  const longest = Math.max(0, ...Object.values(facets).map(({ length }) => length));
  for (let i = 0; i < longest && !room.isSpent; i++) {
    for (const name of names) {
      const value = facets[name]![i];
      if (value !== undefined && room.take(Buffer.byteLength(value.value))) counts.set(name, i + 1);
    }
  }
  budget.spend(bytes - room.left);
  return {
    facets: Object.fromEntries(names.map((name) => [name, facets[name]!.slice(0, counts.get(name))])),
    isTruncated: room.isSpent,
  };
}
