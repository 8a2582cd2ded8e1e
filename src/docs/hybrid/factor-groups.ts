import { OrdSet } from '../fulltext/index.ts';

/**
 * Documents by what boosts do to them: those that gain, those that lose, and the rest, each as far as they are eligible.
 * The nearest of each group are candidates, as a vector index ranks without boosts: what it would rank first must not
 * crowd out what boosts bring to the front. `last` is the greatest ordinal.
 */
export function groupsByFactor(factors: Float32Array | undefined, eligible: OrdSet | undefined, last: number): readonly (OrdSet | undefined)[] {
  if (factors === undefined) return [eligible];
  const [gaining, losing, rest] = [new OrdSet(last + 1), new OrdSet(last + 1), OrdSet.upTo(last)];
  for (let ord = 0; ord < factors.length; ord++) {
    const factor = factors[ord]!;
    if (factor === 1) continue;
    (factor > 1 ? gaining : losing).add(ord);
    rest.delete(ord);
  }
  const groups = [gaining, losing, rest];
  if (eligible !== undefined) for (const group of groups) group.intersect(eligible);
  return groups;
}
