import type { SqlValue } from '../../storage/index.ts';
import type { Meta } from './meta.ts';

/** A fragment of SQL with its parameters. */
export interface Fragment {
  readonly sql: string;
  readonly params: readonly SqlValue[];
}

/** A key without values has no alternative that could match. */
export function matchesNothing(filter: Meta): boolean {
  return Object.values(filter).some((values) => values.length === 0);
}
