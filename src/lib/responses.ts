import type { ServerResponse } from 'node:http';
import type { Transform } from 'node:stream';
import { promisify } from 'node:util';
import { brotliCompress, constants, createBrotliCompress, createGzip, createZstdCompress, gzip,
  zstdCompress } from 'node:zlib';

/** Smaller responses fit into one packet with or without compression. */
const MIN_COMPRESSED_BYTES = 1024;

export type Encoding = 'zstd' | 'br' | 'gzip';

/** In the server's order of preference, by bytes saved for the time spent. */
const ENCODINGS: readonly Encoding[] = ['zstd', 'br', 'gzip'];

const ZSTD = { params: { [constants.ZSTD_c_compressionLevel]: 3 } };
/** The library's default, 11, is meant for files that are compressed once. */
const BROTLI = {
  params: { [constants.BROTLI_PARAM_QUALITY]: 4, [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT },
};
const GZIP = { level: 5 };

/** Each runs in the platform's thread pool, so that the event loop stays free. */
const COMPRESS: Readonly<Record<Encoding, (body: string | Uint8Array) => Promise<Buffer>>> = {
  zstd: (body) => promisify(zstdCompress)(body, ZSTD),
  br: (body) => promisify(brotliCompress)(body, BROTLI),
  gzip: (body) => promisify(gzip)(body, GZIP),
};

const STREAMS: Readonly<Record<Encoding, () => Transform>> = {
  zstd: () => createZstdCompress(ZSTD),
  br: () => createBrotliCompress(BROTLI),
  gzip: () => createGzip(GZIP),
};

export function compress(body: string | Uint8Array, encoding: Encoding): Promise<Buffer> {
  return COMPRESS[encoding](body);
}

/** Returns a stream that compresses what is written to it. */
export function compressor(encoding: Encoding): Transform {
  return STREAMS[encoding]();
}

/** Whether a body is long enough to be compressed. Does not count bytes if the length of the string alone decides. */
export function isWorthCompressing(body: string | Buffer): boolean {
  return body.length > MIN_COMPRESSED_BYTES ||
    (typeof body === 'string' && body.length * 3 > MIN_COMPRESSED_BYTES &&
      Buffer.byteLength(body) > MIN_COMPRESSED_BYTES);
}

/**
 * The encoding that an `Accept-Encoding` header prefers (RFC 9110, section 12.5.3); of encodings with equal weight, the
 * server's first. Returns undefined if the header accepts none, or prefers the body without an encoding.
 */
export function preferredEncoding(accepted: string | undefined): Encoding | undefined {
  if (accepted === undefined || accepted === '') return undefined;
  const weights = new Map(accepted.split(',').map(weightedCoding));
  const weightOf = (encoding: Encoding): number => weights.get(encoding) ?? weights.get('*') ?? 0;
  const best = ENCODINGS.reduce((first, encoding) => (weightOf(encoding) > weightOf(first) ? encoding : first));
  return weightOf(best) > 0 && weightOf(best) >= (weights.get('identity') ?? 0) ? best : undefined;
}

/** Parses `gzip;q=0.5`; an invalid weight counts as 0. */
function weightedCoding(part: string): readonly [string, number] {
  const [coding = '', ...parameters] = part.split(';').map((one) => one.trim().toLowerCase());
  const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2);
  return [coding, weight === undefined ? 1 : Number(weight) || 0];
}

/**
 * Calls `then` when a response has been sent or its client has left, also if that was before: then no event says so
 * again.
 */
export function whenClosed(response: ServerResponse, then: () => void): void {
  if (response.destroyed || response.writableFinished) then();
  else response.once('close', then);
}
