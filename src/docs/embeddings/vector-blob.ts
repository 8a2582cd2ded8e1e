// Vectors as the table stores them, little-endian like every platform of this service: either float32 numbers, or the
// minimum and the step between two levels (both float32) followed by one byte for each number, the count of steps above
// the minimum. The length shows which form it is. A vector that was quantized and read again has the same bytes, also
// in memory.

/** The precision of the numbers that are written. */
export type Precision = 'float32' | 'int8';

const LEVELS = 255;
const HEAD = 8;

/** Length of the blob of a vector. */
export function blobBytes(dimensions: number, precision: Precision): number {
  return precision === 'float32' ? dimensions * 4 : HEAD + dimensions;
}

export function toBlob(vector: Float32Array, precision: Precision = 'float32'): Uint8Array {
  if (precision === 'float32') return new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength);
  let least = Infinity;
  let most = -Infinity;
  // Loops by index, and whole numbers by `|`: the usual forms take four times as long.
  for (let i = 0; i < vector.length; i++) {
    const value = vector[i]!;
    if (value < least) least = value;
    if (value > most) most = value;
  }
  const step = Math.fround((most - least) / LEVELS);
  const blob = new Uint8Array(HEAD + vector.length);
  const head = new DataView(blob.buffer);
  head.setFloat32(0, least, true);
  head.setFloat32(4, step, true);
  if (step > 0) {
    for (let i = 0; i < vector.length; i++) {
      const level = ((vector[i]! - least) / step + 0.5) | 0;
      blob[HEAD + i] = level > LEVELS ? LEVELS : level;
    }
  }
  return blob;
}

/** The `dimensions` numbers of a blob. */
export function fromBlob(blob: Uint8Array, dimensions: number): Float32Array {
  if (blob.byteLength === dimensions * 4) {
    // Numbers can be read in place only if their address is aligned.
    const { buffer, byteOffset } = blob.byteOffset % 4 === 0 ? blob : Uint8Array.from(blob);
    return new Float32Array(buffer, byteOffset, dimensions);
  }
  const head = new DataView(blob.buffer, blob.byteOffset, HEAD);
  const [least, step] = [head.getFloat32(0, true), head.getFloat32(4, true)];
  const vector = new Float32Array(blob.byteLength - HEAD);
  for (let i = 0; i < vector.length; i++) vector[i] = least + step * blob[HEAD + i]!;
  return vector;
}
