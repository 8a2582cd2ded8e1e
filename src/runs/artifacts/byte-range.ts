export interface ByteRange {
  readonly start: number;
  /** Inclusive. */
  readonly end: number;
}

const ONE_RANGE = /^bytes=(\d{0,15})-(\d{0,15})$/;

/**
 * The bytes of a file that a `Range` header selects (RFC 9110, section 14.1.2). Undefined for the whole file, for
 * several ranges, and for a range outside the file: a server may ignore the header then.
 */
export function byteRange(header: string | undefined, size: number): ByteRange | undefined {
  const [, first, last] = ONE_RANGE.exec(header?.trim() ?? '') ?? [];
  if (first === undefined || last === undefined || (first === '' && last === '')) return undefined;
  const start = first === '' ? Math.max(0, size - Number(last)) : Number(first);
  const end = first === '' || last === '' ? size - 1 : Math.min(Number(last), size - 1);
  return start <= end ? { start, end } : undefined;
}
