import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { decodeVarint, encodeVarint } from '../../lib/varint.ts';
import { decodeBody } from './codec.ts';
import { corrupt } from './record.ts';
import { isReference } from './reference.ts';

/**
 * The body of a revision as what differs from a later one, its base:
 *
 *     flag (1 byte: 3) | raw length (varint) | run (varint) | base (varint) | payload
 *
 * The payload is a zstd frame with the base's body as its dictionary, and a checksum, so that another base never passes for
 * the right one. Encryption wraps a whole record, as it does with any body.
 */
const DELTA = 3;

export interface DeltaHead {
  /** Timestamp of the revision that it is a delta against. */
  readonly base: number;
  /** Deltas in a row that end with this one: reading the oldest of them takes so many steps. */
  readonly run: number;
}

/** Deltas in a row; the next body is stored whole. */
export const MAX_RUN = 16;

/** Larger bodies are stored whole: making a delta of one would hold the event loop, within a transaction. */
const MAX_BYTES = 512 * 1024;

/** A delta has to be this much smaller than the whole body is stored, or it is not worth the steps. */
const WORTHWHILE = 0.75;

/** What a stored body says of itself; undefined for one that is whole. */
export function deltaHead(stored: Uint8Array): DeltaHead | undefined {
  return stored[0] === DELTA ? parse(stored) : undefined;
}

/** The body `stored`, a whole one, as a delta against the whole one `base`; undefined where it is better left whole, or where one of them is kept elsewhere. */
export function encodeDelta(stored: Uint8Array, base: Uint8Array, head: DeltaHead): Uint8Array | undefined {
  if (head.run > MAX_RUN || isReference(stored) || isReference(base)) return undefined;
  const [body, dictionary] = [decodeBody(stored), decodeBody(base)];
  if (Math.max(body.length, dictionary.length) > MAX_BYTES || dictionary.length === 0) return undefined;
  const payload = zstdCompressSync(body, { pledgedSrcSize: body.length, dictionary, params: { ...PARAMETERS, [constants.ZSTD_c_windowLog]: windowFor(body.length + dictionary.length) } });
  const delta = Buffer.concat([Uint8Array.of(DELTA), ...[body.length, head.run, head.base].map(encodeVarint), payload]);
  return delta.length <= stored.length * WORTHWHILE ? delta : undefined;
}

/** The body of a delta, given that of its base. Throws `internal` when it is damaged or the base is another one. */
export function applyDelta(stored: Uint8Array, base: Uint8Array): Uint8Array {
  const { length, payload } = parse(stored);
  try {
    const body = zstdDecompressSync(payload, { dictionary: base, maxOutputLength: Math.max(1, length) });
    if (body.length === length) return body;
  } catch (cause) {
    throw corrupt('it does not fit the revision that it is a delta against', cause);
  }
  throw corrupt(`it claims ${length} bytes and has others`);
}

const PARAMETERS = {
  [constants.ZSTD_c_compressionLevel]: 3,
  [constants.ZSTD_c_checksumFlag]: 1,
};

/** The whole dictionary has to be within reach. */
function windowFor(bytes: number): number {
  return Math.max(10, Math.ceil(Math.log2(bytes + 1)));
}

function parse(stored: Uint8Array): DeltaHead & { readonly length: number; readonly payload: Uint8Array } {
  const length = decodeVarint(stored, 1);
  const run = length && decodeVarint(stored, length.end);
  const base = run && decodeVarint(stored, run.end);
  if (base === undefined || length!.value > MAX_BYTES) throw corrupt('its header breaks off');
  return { length: length!.value, run: run!.value, base: base.value, payload: stored.subarray(base.end) };
}
