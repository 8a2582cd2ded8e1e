import { ServiceError } from '../errors/index.ts';

/**
 * Header of the response to a write, and to each request that has the other header; metadata in gRPC. Its value is the
 * LSN of the change.
 */
export const LSN_HEADER = 'X-Quire-LSN';

/** Header of a request, and metadata in gRPC: the LSN that this server must have reached before it responds. */
export const MIN_LSN_HEADER = 'X-Quire-Min-LSN';

/** Read-your-writes: a client finds its own writes again on every server. */
export interface Session {
  /** The lowest LSN from which the response must be computed; absent for any. */
  readonly minLsn?: number;
  /**
   * Called before the response with the LSN of what this caller wrote or, if `minLsn` is given, was shown. Must not
   * throw.
   */
  readonly onLsn?: (lsn: number) => void;
}

/**
 * Parses `X-Quire-Min-LSN`; undefined without the header. Throws `invalid_argument` for anything but a whole number.
 */
export function parseMinLsn(text: string | readonly string[] | undefined): number | undefined {
  if (text === undefined) return undefined;
  const value = typeof text === 'string' && /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
  if (!Number.isSafeInteger(value))
    throw new ServiceError('invalid_argument',
      `${MIN_LSN_HEADER} must be a whole number as ${LSN_HEADER} of a write has it`);
  return value;
}
