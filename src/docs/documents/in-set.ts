import type { OrdSet } from '../../lib/ord-set.ts';
import { inList, type SqlValue } from '../../storage/index.ts';

/** An SQL condition with its parameters. */
export interface SetCondition {
  readonly sql: string;
  readonly params: readonly SqlValue[];
}

/** Maximum number of ordinals that a statement lists. */
const FEW = 500;
const YES = Uint8Array.of(1);

/**
 * Tests whether a column of ordinals is in a set: a few ordinals are listed; a larger set is passed as a BLOB with one
 * byte for each ordinal.
 */
export function inSet(column: string, set: OrdSet): SetCondition {
  const size = set.size;
  if (size === 0) return { sql: '0 = 1', params: [] };
  if (size <= FEW) {
    const { marks, params } = inList([...set]);
    return { sql: `${column} IN (${marks})`, params };
  }
  return { sql: `substr(?, ${column} + 1, 1) = ?`, params: [bytesOf(set), YES] };
}

function bytesOf(set: OrdSet): Uint8Array {
  const { words } = set;
  const bytes = new Uint8Array(words.length * 32);
  for (const [at, word] of words.entries()) {
    for (let rest = word; rest !== 0; rest &= rest - 1) bytes[at * 32 + 31 - Math.clz32(rest & -rest)] = 1;
  }
  return bytes;
}
