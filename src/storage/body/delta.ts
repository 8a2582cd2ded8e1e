import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { decodeVarint, encodeVarint } from '../../lib/bytes.ts';
import { corrupt, decodeBody } from './codec.ts';
import { isReference } from './reference.ts';

/**
 * The body of a revision as the difference from a later one, its base:
 *
 *     flag (1 byte: 3) | raw length (varint) | run (varint) | base (varint) | payload
 *
 * The payload is a zstd frame with the base's body as its dictionary, and a checksum, so that a wrong base is always
 * detected. Encryption wraps a whole record, as for any body.
 */
const DELTA = 3;

interface DeltaHead {
  /** Timestamp of the revision that the delta is based on. */
  readonly base: number;
  /** Number of consecutive deltas that end with this one: reading the oldest of them takes this many steps. */
  readonly run: number;
}

/** Maximum number of consecutive deltas; the next body is stored whole. */
const MAX_RUN = 16;

/** Larger bodies are stored whole: computing their delta would block the event loop within a transaction. */
const MAX_BYTES = 512 * 1024;

/**
 * A delta must be smaller than the stored form of the whole body by this factor; otherwise it is not worth the steps.
 */
const WORTHWHILE = 0.75;

/** The header of a stored body's delta; undefined for a whole body. */
export function deltaHead(stored: Uint8Array): DeltaHead | undefined {
  return stored[0] === DELTA ? parse(stored) : undefined;
}

/**
 * Returns the whole body `stored` as a delta against the whole body `base`; undefined if it should stay whole, or if
 * one of them is kept elsewhere.
 */
export function encodeDelta(stored: Uint8Array, base: Uint8Array, head: DeltaHead): Uint8Array | undefined {
  if (head.run > MAX_RUN || isReference(stored) || isReference(base)) return undefined;
  const [body, dictionary] = [decodeBody(stored), decodeBody(base)];
  if (Math.max(body.length, dictionary.length) > MAX_BYTES || dictionary.length === 0) return undefined;
  const payload = zstdCompressSync(body, {
    pledgedSrcSize: body.length,
    dictionary,
    params: { ...PARAMETERS, [constants.ZSTD_c_windowLog]: windowFor(body.length + dictionary.length) },
  });
  const delta = Buffer.concat([Uint8Array.of(DELTA), ...[body.length, head.run, head.base].map(encodeVarint), payload]);
  return delta.length <= stored.length * WORTHWHILE ? delta : undefined;
}

/**
 * Returns the body of a delta, given that of its base. Throws `internal` when it is damaged or the base is another one.
 */
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

/** The window must cover the whole dictionary. */
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
