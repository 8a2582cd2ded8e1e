import { isUtf8 } from 'node:buffer';

/**
 * Frees the memory of bytes that are no longer needed, unless they are part of a larger buffer; their length is 0
 * afterwards. The garbage collector would free them much later: buffers lie outside its heap, and tens of megabytes of
 * them accumulate before it runs.
 */
export function freeBytes({ buffer, byteLength }: Uint8Array): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0);
}

/**
 * Unsigned LEB128: seven bits a byte, lowest first, the high bit set on all but the last byte.
 * Values up to `Number.MAX_SAFE_INTEGER`, so at most eight bytes.
 */
export function encodeVarint(value: number): Uint8Array {
  if (!Number.isSafeInteger(value) || value < 0)
    throw new RangeError(`a varint holds a non-negative integer, got ${value}`);
  const bytes: number[] = [];
  let rest = value;
  while (rest >= 0x80) {
    bytes.push((rest % 0x80) | 0x80);
    rest = Math.floor(rest / 0x80);
  }
  bytes.push(rest);
  return Uint8Array.from(bytes);
}

/**
 * Returns the value at an offset and the offset after it; undefined if the bytes end early or the value is too large.
 */
export function decodeVarint(bytes: Uint8Array, offset = 0): { value: number; end: number } | undefined {
  let value = 0;
  let scale = 1;
  for (let i = offset; i < bytes.length && scale <= Number.MAX_SAFE_INTEGER; i++) {
    const byte = bytes[i]!;
    value += (byte & 0x7f) * scale;
    if (byte < 0x80) return Number.isSafeInteger(value) ? { value, end: i + 1 } : undefined;
    scale *= 0x80;
  }
  return undefined;
}

/** Decodes UTF-8 bytes without a byte order mark; returns undefined if they are not valid UTF-8. */
export function decodeUtf8(bytes: Buffer): string | undefined {
  if (!isUtf8(bytes)) return undefined;
  const text = bytes.toString('utf8');
  return text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
}

/** The bytes of a text without the mark that some programs write before it. */
export function withoutByteOrderMark(bytes: Buffer): Buffer {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? bytes.subarray(3) : bytes;
}

/**
 * Decodes bytes that may not be UTF-8: each invalid byte becomes the lone surrogate U+DC00 + byte,
 * so that a reader can tell repaired text (`isWellFormed()` is false) from text that already contained U+FFFD.
 */
export function decodeUtf8Escaping(bytes: Buffer): string {
  const parts: string[] = [];
  let start = 0;
  for (let i = 0; i < bytes.length;) {
    const length = sequenceLength(bytes, i);
    if (length > 0) {
      i += length;
      continue;
    }
    parts.push(bytes.toString('utf8', start, i), String.fromCharCode(0xdc00 + bytes[i]!));
    i += 1;
    start = i;
  }
  parts.push(bytes.toString('utf8', start));
  return parts.join('');
}

/** Length of the valid UTF-8 sequence at an offset; 0 when there is none (Unicode standard, table 3-7). */
function sequenceLength(bytes: Buffer, at: number): number {
  const lead = bytes[at]!;
  if (lead < 0x80) return 1;
  const length = lead >= 0xc2 && lead <= 0xdf
    ? 2
    : lead >= 0xe0 && lead <= 0xef
    ? 3
    : lead >= 0xf0 && lead <= 0xf4
    ? 4
    : 0;
  if (length === 0 || at + length > bytes.length) return 0;
  return isUtf8(bytes.subarray(at, at + length)) ? length : 0;
}

/** Replaces each part that is not valid Unicode with U+FFFD, and a sequence of escaped bytes with a single one. */
export function repairText(text: string): string {
  return text.isWellFormed() ? text : text.replace(/[\udc80-\udcff]+/g, '\udc80').toWellFormed();
}

const EQUALS = 0x3d;

/**
 * The 32-bit floats, little-endian, of a text in base64; undefined for what is no base64 of whole floats. They may be
 * infinite or no number.
 */
export function decodeFloats(text: string): Float32Array<ArrayBuffer> | undefined {
  const bytes = Buffer.from(text, 'base64');
  let length = text.length;
  while (length > 0 && text.charCodeAt(length - 1) === EQUALS) length--;
  // Node leaves out what is no base64, so the number of bytes tells.
  if (bytes.length !== Math.floor(length * 3 / 4) || bytes.length % 4 !== 0) return undefined;
  return new Float32Array(Uint8Array.from(bytes).buffer);
}

/** The inverse of `decodeFloats`. */
export function encodeFloats({ buffer, byteOffset, byteLength }: Float32Array): string {
  return Buffer.from(buffer, byteOffset, byteLength).toString('base64');
}
