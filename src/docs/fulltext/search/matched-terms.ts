import { Pace } from '../../documents/index.ts';
import type { TextIndex } from '../view/text-index.ts';
import type { QueryPlan, WantedLeaf } from './query-plan.ts';

/** What was found by edits is named by looking into the document. */
export function hasEdits({ node }: WantedLeaf): boolean {
  return node.kind === 'term' && node.fuzzy !== undefined && node.fuzzy > 0;
}

/**
 * Which terms of a query each of some documents matches, in the order of the query, and those by whose neighbours
 * alone at the end; those that allow edits are left out. The index answers for one leaf after the other, with rests between.
 */
export async function matchedTerms(index: TextIndex, { wanted, analyzer }: QueryPlan, ords: readonly number[]): Promise<Map<number, Set<string>>> {
  const pace = new Pace();
  const terms = new Map(ords.map((ord) => [ord, new Set<string>()]));
  for (const leaf of ords.length === 0 ? [] : wanted) {
    if (hasEdits(leaf)) continue;
    const { looked } = index.search({ root: leaf.node, analyzer, algorithm: 'tfidf', limit: 0, look: ords });
    for (const [i, ord] of ords.entries()) if (looked[i] !== undefined) for (const label of leaf.labels) terms.get(ord)!.add(label);
    await pace.rest();
  }
  return terms;
}
