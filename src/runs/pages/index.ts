import { ServiceError } from '../../errors/index.ts';

/** Most entries of a page (contract, section 8). */
const MAX_LIMIT = 100;

/** Number of entries of a page; a larger number than the maximum counts as the maximum (decisions, section 2.1). */
export function pageSize(limit: number): number {
  return Math.min(limit, MAX_LIMIT);
}

/** One page of a list; `found` must have more entries than the page if there is another page. */
export function toPage<T>(found: readonly T[], size: number,
  positionOf: (entry: T) => Position): { entries: readonly T[]; next_cursor: string | null }
{
  const entries = found.slice(0, size);
  const last = entries.at(-1);
  return { entries, next_cursor: found.length > size && last !== undefined ? encodeCursor(positionOf(last)) : null };
}

/** The end of a page: time and id of its last entry. */
interface Position {
  /** Unix seconds. */
  readonly at: number;
  readonly id: string;
}

/** Version of the format, so that later ones can be distinguished from it. */
const VERSION = '1';

/** `before` of the page that follows this entry (decisions, section 2.1): base64url of `1:<at>:<id>`. */
export function encodeCursor({ at, id }: Position): string {
  return Buffer.from(`${VERSION}:${at}:${id}`).toString('base64url');
}

/**
 * Decodes a cursor; `idForm` is the form of the ids in that list. Throws `invalid_cursor` for everything that
 * `encodeCursor` would not have written, including other versions.
 */
export function decodeCursor(text: string, idForm: RegExp): Position {
  const [version, at = '', id = '', ...more] = Buffer.from(text, 'base64url').toString('latin1').split(':');
  const position = { at: Number(at), id };
  const isOurs = version === VERSION && more.length === 0 && /^\d+$/.test(at) && Number.isSafeInteger(position.at) &&
    idForm.test(id);
  // Encoding it again detects other texts that decode to the same bytes.
  if (!isOurs || encodeCursor(position) !== text)
    throw new ServiceError('invalid_cursor', 'before must be a cursor from next_cursor');
  return position;
}
