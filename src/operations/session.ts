import { ServiceError } from '../errors/index.ts';

/** Header of the answer to a write, and to each request that has the other one; metadata in gRPC: the number of the change feed that has it. */
export const LSN_HEADER = 'X-Quire-LSN';

/** Header of a request, and metadata in gRPC: the number that this server must have reached before it answers. */
export const MIN_LSN_HEADER = 'X-Quire-Min-LSN';

/** What a client wrote and wants to find again, wherever it asks. */
export interface Session {
  /** The least number of the change feed that the answer must be computed from; absent for any. */
  readonly minLsn?: number;
  /** Called before the answer with the number of the change feed that has what this caller wrote or, where `minLsn` is given, was shown. Must not throw. */
  readonly onLsn?: (lsn: number) => void;
}

/** The number that `X-Quire-Min-LSN` holds; undefined without the header. Throws `invalid_argument` for anything but a whole number. */
export function parseMinLsn(text: string | readonly string[] | undefined): number | undefined {
  if (text === undefined) return undefined;
  const value = typeof text === 'string' && /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
  if (!Number.isSafeInteger(value)) throw new ServiceError('invalid_argument', `${MIN_LSN_HEADER} must be a whole number as ${LSN_HEADER} of a write has it`);
  return value;
}
