import { ServiceError } from '../../errors/index.ts';
import { type Column, columnOf } from '../filter/index.ts';

/** One key of a sort order. */
export interface SortKey {
  readonly column: Column | { readonly kind: 'score' };
  readonly descending: boolean;
}

export interface SortRules {
  /** The direction of a key without an explicit one. */
  readonly descending: boolean;
  /** Whether results have a score to sort by. */
  readonly scored: boolean;
}

const MAX_KEYS = 8;
const DIRECTION = /:(asc|desc)$/;
const QUOTED = /"((?:[^"\\]|\\.)*)"/sy;

/**
 * Parses an order such as `year:desc, title:asc`: fields of documents, `score`, and metadata keys. A metadata key needs
 * a direction or the prefix `meta.`, so that a misspelt field is rejected; a key that contains a comma must be quoted.
 * Throws `invalid_argument`.
 */
export function parseSort(sort: string, { descending, scored }: SortRules): SortKey[] {
  const keys = partsOf(sort).map(({ name, direction, isQuoted }): SortKey => ({
    column: columnFor(name, direction !== undefined || isQuoted, scored),
    descending: direction === undefined ? descending : direction === 'desc',
  }));
  if (keys.length > MAX_KEYS) throw invalid(`must have at most ${MAX_KEYS} keys, got ${keys.length}`);
  return keys;
}

interface Part {
  readonly name: string;
  readonly direction: string | undefined;
  readonly isQuoted: boolean;
}

/** Splits at the commas that are outside of quotes. */
function partsOf(sort: string): Part[] {
  const parts: Part[] = [];
  for (let at = 0; at <= sort.length;) {
    const start = at + sort.slice(at).search(/\S|$/);
    QUOTED.lastIndex = start;
    const quoted = QUOTED.exec(sort);
    const from = start + (quoted?.[0].length ?? 0);
    const comma = sort.indexOf(',', from);
    const rest = sort.slice(from, comma < 0 ? sort.length : comma).trimEnd();
    const direction = DIRECTION.exec(rest)?.[1];
    const name = direction === undefined ? rest : rest.slice(0, -direction.length - 1);
    if (quoted !== null && name !== '')
      throw invalid(`must have a comma, ":asc" or ":desc" behind quotes, at character ${from + 1}`);
    parts.push({
      name: quoted === null ? name : quoted[1]!.replace(/\\(.)/gs, '$1'),
      direction,
      isQuoted: quoted !== null,
    });
    if (comma < 0) return parts;
    at = comma + 1;
  }
  return parts;
}

function columnFor(name: string, isExplicit: boolean, scored: boolean): SortKey['column'] {
  if (name === '') throw invalid('must name a field or a metadata key before the direction');
  if (name === 'score') {
    if (scored) return { kind: 'score' };
    throw invalid('must not be by score where nothing is searched for; a metadata key of that name is "meta.score"');
  }
  const column = columnOf(name);
  if (column.kind !== 'meta' || isExplicit || name.startsWith('meta.')) return column;
  const fields = ['addedAt', 'updatedAt', 'expiresAt', 'key', 'lang', ...(scored ? ['score'] : [])];
  throw invalid(
    `must be one of ${fields.join(', ')}, or a metadata key with a direction, such as "${
      name.slice(0, 80)
    }:desc"; got "${name.slice(0, 80)}"`,
  );
}

function invalid(problem: string): ServiceError {
  return new ServiceError('invalid_argument', `sort ${problem}`);
}
