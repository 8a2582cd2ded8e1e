export interface ByteRange {
  readonly start: number;
  /** Inclusive. */
  readonly end: number;
}

const ONE_RANGE = /^bytes=(\d{0,15})-(\d{0,15})$/;

/**
 * The bytes that a header `Range` wants of a file (RFC 9110, section 14.1.2). Undefined where it wants all, several ranges, or
 * none that the file has: a server may pass over the header then.
 */
export function byteRange(header: string | undefined, size: number): ByteRange | undefined {
  const [, first, last] = ONE_RANGE.exec(header?.trim() ?? '') ?? [];
  if (first === undefined || last === undefined || (first === '' && last === '')) return undefined;
  const start = first === '' ? Math.max(0, size - Number(last)) : Number(first);
  const end = first === '' || last === '' ? size - 1 : Math.min(Number(last), size - 1);
  return start <= end ? { start, end } : undefined;
}
