import { OrdSet } from '../../../lib/ord-set.ts';

/**
 * Documents by the effect of boosts: those with raised scores, those with lowered scores, and the rest, as far as they
 * are eligible. The nearest of each group are candidates, because a vector index ranks without boosts: its first
 * results must not displace documents that boosts move to the front. `last` is the greatest ordinal.
 */
export function groupsByFactor(factors: Float32Array, eligible: OrdSet | undefined, last: number): readonly OrdSet[] {
  const [gaining, losing, rest] = [new OrdSet(last + 1), new OrdSet(last + 1), OrdSet.upTo(last)];
  for (let ord = 0; ord < factors.length; ord++) {
    const factor = factors[ord]!;
    if (factor === 1) continue;
    (factor > 1 ? gaining : losing).add(ord);
    rest.delete(ord);
  }
  const groups = [gaining, losing, rest];
  if (eligible !== undefined) { for (const group of groups) group.intersect(eligible); }
  return groups;
}
