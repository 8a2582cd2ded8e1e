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
