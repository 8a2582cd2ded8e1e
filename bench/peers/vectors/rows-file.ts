import { closeSync, openSync, readFileSync, readSync } from 'node:fs';

/** The system reads at most 2 GiB at once. */
const MOST_AT_ONCE = 2 ** 30;

/** A file of float32 rows. */
export class RowsFile {
  readonly dims: number;
  readonly #file: number;

  constructor(file: string, dims: number) {
    this.#file = openSync(file, 'r');
    this.dims = dims;
  }

  /** Reads rows into new memory, or into `into`. */
  read(first: number, count: number, into = new Float32Array(count * this.dims)): Float32Array {
    const bytes = new Uint8Array(into.buffer, into.byteOffset, count * this.dims * 4);
    for (let done = 0; done < bytes.length;) {
      const read = readSync(this.#file, bytes, done, Math.min(bytes.length - done, MOST_AT_ONCE),
        first * this.dims * 4 + done);
      if (read === 0) throw new RangeError(`the file has no rows up to ${first + count}`);
      done += read;
    }
    return into;
  }

  close(): void {
    closeSync(this.#file);
  }
}

/** All rows of a file, one at a time. */
export function rowsOf(numbers: Float32Array, dims: number): Float32Array[] {
  return Array.from({ length: numbers.length / dims }, (_, i) => numbers.subarray(i * dims, (i + 1) * dims));
}

export function readNumbers(file: string): Float32Array {
  return new Float32Array(Uint8Array.from(readFileSync(file)).buffer);
}
