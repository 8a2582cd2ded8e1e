import { constants, crc32, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import type { ShipLine } from './port.ts';

/** Most events of a chunk: as many as a page of the API has. */
export const CHUNK_EVENTS = 100;

/** A chunk that has this many bytes is full, so that none takes long to read. A single line may be longer. */
const CHUNK_BYTES = 256 * 1024;

/** No chunk is larger; a larger one is damaged. */
const MAX_CHUNK_BYTES = 64 * 2 ** 20;

const LEVELS = ['debug', 'info', 'warn', 'error'] as const;
const STREAMS = ['stdout', 'stderr', 'system'] as const;

/** Consecutive events of one attempt, before compression: a JSON array for each, one on a line. */
export interface Chunk {
  readonly firstOffset: number;
  readonly count: number;
  readonly text: string;
  readonly bytes: number;
}

/** Of steps; their numbers in events. */
const STEP_STATES = ['running', 'succeeded', 'failed', 'timed_out', 'stopped'] as const;

/**
 * `[time, level, stream, step, message]`, with enumerated values as numbers, and the state of the step if the line says
 * one. The JSON contains no line breaks.
 */
export function encodeEvent({ unixMs, level, stream, step, message, stepState }: ShipLine): string {
  const event = [unixMs, LEVELS.indexOf(level), STREAMS.indexOf(stream), step, message];
  return JSON.stringify(stepState === undefined ? event : [...event, STEP_STATES.indexOf(stepState)]);
}

/** Throws if the text is not an event. */
export function decodeEvent(text: string): ShipLine {
  const [unixMs, level, stream, step, message, state] = JSON.parse(text) as [number, number, number, string | null,
    string, number?];
  const known = { level: LEVELS[level], stream: STREAMS[stream] };
  if (known.level === undefined || known.stream === undefined || typeof message !== 'string' ||
    !Number.isSafeInteger(unixMs))
  {
    throw new Error('it holds what is not an event');
  }
  const stepState = state === undefined ? undefined : STEP_STATES[state];
  return { unixMs, level: known.level, stream: known.stream, step, message, ...(stepState && { stepState }) };
}

/** Whether the chunk has space for another event. */
export function hasRoom({ count, bytes }: { readonly count: number; readonly bytes: number }): boolean {
  return count < CHUNK_EVENTS && bytes < CHUNK_BYTES;
}

/**
 * Adds encoded events to the last chunk while it has space, and then to new ones. Returns the new and the extended
 * chunks.
 */
export function fillChunks(tail: Chunk | undefined, nextOffset: number, events: readonly string[]): Chunk[] {
  const filled: Chunk[] = [];
  let open = tail !== undefined && hasRoom(tail) ? builder(tail.firstOffset, tail) : builder(nextOffset);
  for (const event of events) {
    if (!hasRoom(open)) {
      filled.push(finished(open));
      open = builder(open.firstOffset + open.count);
    }
    open.texts.push(event);
    open.count += 1;
    open.bytes += Buffer.byteLength(event) + 1;
  }
  if (events.length > 0) filled.push(finished(open));
  return filled;
}

/** The stored form. Its checksum detects damage that would still decompress. */
export function packChunk({ text }: Chunk): Uint8Array {
  return zstdCompressSync(text, {
    params: { [constants.ZSTD_c_compressionLevel]: 1, [constants.ZSTD_c_checksumFlag]: 1 },
  });
}

/** First byte of an uncompressed chunk; compressed chunks begin with 0x28. A CRC-32 of 4 bytes follows. */
const OPEN = 0x52;
const OPEN_HEADER = 5;

/**
 * The stored form of a chunk that is about to grow: compressing it again for each line would cost more than all other
 * work.
 */
export function packOpenChunk({ text }: Chunk): Uint8Array {
  const body = Buffer.allocUnsafe(OPEN_HEADER + Buffer.byteLength(text));
  body.write(text, OPEN_HEADER, 'utf8');
  body[0] = OPEN;
  body.writeUInt32LE(crc32(body.subarray(OPEN_HEADER)), 1);
  return body;
}

/** The text of a stored chunk; throws if it is damaged. */
export function unpackChunk(body: Uint8Array): string {
  if (body[0] === OPEN) {
    const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
    if (bytes.length < OPEN_HEADER || bytes.readUInt32LE(1) !== crc32(bytes.subarray(OPEN_HEADER)))
      throw new Error('its checksum is another');
    return bytes.toString('utf8', OPEN_HEADER);
  }
  return zstdDecompressSync(body, { maxOutputLength: MAX_CHUNK_BYTES }).toString('utf8');
}

/** The encoded events of a chunk's text; throws if their number is wrong. */
export function eventsOf(text: string, count: number): string[] {
  const events = text.split('\n');
  if (events.length !== count) throw new Error(`it should hold ${count} events and has ${events.length}`);
  return events;
}

interface Builder {
  readonly firstOffset: number;
  readonly texts: string[];
  count: number;
  bytes: number;
}

function builder(firstOffset: number, tail?: Chunk): Builder {
  return {
    firstOffset,
    texts: tail === undefined ? [] : [tail.text],
    count: tail?.count ?? 0,
    bytes: tail?.bytes ?? 0,
  };
}

function finished({ firstOffset, texts, count, bytes }: Builder): Chunk {
  return { firstOffset, count, text: texts.join('\n'), bytes };
}

/** Splits text into pieces of at most this many bytes of UTF-8, without breaking a character. */
export function splitMessage(text: string, maxBytes: number): string[] {
  if (text.length * 3 <= maxBytes || Buffer.byteLength(text) <= maxBytes) return [text];
  const bytes = Buffer.from(text);
  const limit = Math.max(maxBytes, 4); // longest character in UTF-8
  const pieces: string[] = [];
  for (let start = 0; start < bytes.length;) {
    const end = boundary(bytes, Math.min(start + limit, bytes.length));
    pieces.push(bytes.toString('utf8', start, end));
    start = end;
  }
  return pieces;
}

/** The last position, at or before `at`, where a character begins. */
function boundary(bytes: Buffer, at: number): number {
  let end = at;
  while (end < bytes.length && (bytes[end]! & 0xc0) === 0x80) end -= 1;
  return end;
}
