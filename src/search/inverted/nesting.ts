import { MAX_LEVELS } from '../../kernels/inverted.ts';
import type { Query, TermQuery } from './query.ts';

/** Cached results by query, because the same parts are counted again at each level of the evaluation. */
const counted = new WeakMap<Query, number>();

/** Levels that a simple query needs, itself included (Sethi and Ullman's numbering of expressions). */
export function levelsFor(query: Query): number {
  if (!('of' in query) || isFlat(query)) return 1;
  const known = counted.get(query);
  if (known !== undefined) return known;
  const levels = countLevels(query);
  counted.set(query, levels);
  return levels;
}

/** Throws a RangeError if a query needs more levels than there are. */
export function checkLevels(levels: number): void {
  if (levels > MAX_LEVELS)
    throw new RangeError(`operators nest too deeply: at most ${MAX_LEVELS} levels, got ${levels}`);
}

/** Whether a query is any or all of some terms, as most are. */
function isFlat(query: Query): boolean {
  return (query.kind === 'or' || query.kind === 'and') && query.of.every(isTerm);
}

function countLevels(query: Query): number {
  if (query.kind === 'some') return 1 + Math.max(...query.of.map(levelsFor));
  if (query.kind !== 'or' && query.kind !== 'and' && query.kind !== 'best') return 1;
  const operands = query.of.filter((operand) => operand.kind !== 'not' && (query.kind === 'best' || !isTerm(operand)));
  const positive = byDepth(operands).map((operand, i) => levelsFor(operand) + (i > 0 ? 1 : 0));
  const negative = query.of.flatMap((operand) => (operand.kind === 'not' ? [levelsFor(operand.of) + 1] : []));
  return Math.max(1, ...positive, ...negative);
}

/** Operands, sorted by the levels that they need, most first. */
export function byDepth(operands: readonly Query[]): Query[] {
  return operands.map((operand) => ({ operand, levels: levelsFor(operand) })).sort((a, b) => b.levels - a.levels).map((
    { operand },
  ) => operand);
}

export function isTerm(query: Query): query is TermQuery {
  return query.kind === 'term';
}
