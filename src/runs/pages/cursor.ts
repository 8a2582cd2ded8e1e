import { ServiceError } from '../../errors/index.ts';

/** Where a page ends: the moment and the id of its last entry. */
export interface Position {
  /** Unix seconds. */
  readonly at: number;
  readonly id: string;
}

/** Version of the form, so that a later one can be told from it. */
const VERSION = '1';

/** `before` of the page that follows this entry (decisions, section 2.1): base64url of `1:<at>:<id>`. */
export function encodeCursor({ at, id }: Position): string {
  return Buffer.from(`${VERSION}:${at}:${id}`).toString('base64url');
}

/**
 * Reads a cursor back; `idForm` is what the ids of that list look like. Throws `invalid_cursor` for everything
 * that `encodeCursor` would not have written, another version included.
 */
export function decodeCursor(text: string, idForm: RegExp): Position {
  const [version, at = '', id = '', ...more] = Buffer.from(text, 'base64url').toString('latin1').split(':');
  const position = { at: Number(at), id };
  const isOurs = version === VERSION && more.length === 0 && /^\d+$/.test(at) && Number.isSafeInteger(position.at) && idForm.test(id);
  // Writing it again tells the only spelling from others that decode to the same bytes.
  if (!isOurs || encodeCursor(position) !== text) throw new ServiceError('invalid_cursor', 'before must be a cursor from next_cursor');
  return position;
}
