import { CHUNK_BYTES } from '../../generated/kernels/chunk.ts';
import { instantiateKernel, type KernelBuild, loadKernel } from './load.ts';

/** A chunk of a text: byte offsets in its UTF-8, the end exclusive; first and last line, counted from 1. */
export interface ChunkRange {
  readonly start: number;
  readonly end: number;
  readonly startLine: number;
  readonly endLine: number;
}

/** Exports of `asm/chunk.ts`; numbers are addresses, lengths in bytes, or as documented there. */
interface ChunkExports extends WebAssembly.Exports {
  textAddress(): number;
  outputAddress(): number;
  prose(length: number): void;
  code(length: number, profile: number, budget: number): void;
  plain(length: number): void;
  pack(from: number, line: number, length: number, budget: number, whole: number, dense: number): number;
}

interface Packing {
  readonly whole: boolean;
  readonly dense: boolean;
}

const PAGE = 65_536;
/** Numbers of a chunk in the output. */
const FIELDS = CHUNK_BYTES / 4;
/**
 * Memory above this number of bytes is freed after the text that needed it, by dropping the instance: a WebAssembly
 * memory cannot shrink.
 */
const KEPT_MEMORY = 16 * 1024 * 1024;
/** The addresses of a text and its levels must fit into 32 bits. */
const MAX_BYTES = 1024 * 1024 * 1024;

/**
 * Divides texts into chunks in WebAssembly; src/text/chunk has the rules, and a slow equivalent in TypeScript. Texts
 * are strings or UTF-8 bytes. Throws a `RangeError` on a text above 1 GiB and a budget that is not a positive integer.
 */
export class ChunkKernel {
  readonly #build: KernelBuild;
  #memory: WebAssembly.Memory | undefined;
  #exports: ChunkExports | undefined;

  constructor(build: KernelBuild = 'release') {
    this.#build = build;
  }

  /** Chunks of markdown of at most `budget` characters; `pack` in src/text/chunk says what `dense` counts. */
  prose(text: string | Uint8Array, budget: number, dense = false): ChunkRange[] {
    return this.#chunks(text, budget, { whole: false, dense }, (exports, length) => exports.prose(length));
  }

  /**
   * Chunks of source code that end where brackets are balanced, of at most `budget` characters except for constructs
   * that are larger. `profile` describes the language: see `lexicalProfile` in src/text/chunk.
   */
  code(text: string | Uint8Array, profile: number, budget: number): ChunkRange[] {
    return this.#chunks(text, budget, { whole: true, dense: false },
      (exports, length) => exports.code(length, profile, Math.min(budget, MAX_BYTES)));
  }

  /** Markdown without its markup, with a space for each byte of it; `withoutMarkup` in src/text/chunk has the rules. */
  withoutMarkup(text: string | Uint8Array): Buffer<ArrayBuffer> {
    const { memory, exports, length } = this.#load(text);
    exports.plain(length);
    const plain = Buffer.from(new Uint8Array(memory.buffer, exports.textAddress(), length));
    this.#release(memory);
    return plain;
  }

  #chunks(text: string | Uint8Array, budget: number, packing: Packing,
    mark: (exports: ChunkExports, length: number) => void): ChunkRange[]
  {
    if (!Number.isSafeInteger(budget) || budget < 1)
      throw new RangeError(`the size of chunks must be a positive integer, got ${budget}`);
    const { memory, exports, length } = this.#load(text);
    mark(exports, length);
    const chunks = readChunks(memory, exports, length, Math.min(budget, MAX_BYTES), packing);
    this.#release(memory);
    return chunks;
  }

  /** Writes a text into the memory. */
  #load(text: string | Uint8Array): { memory: WebAssembly.Memory; exports: ChunkExports; length: number } {
    const bytes = typeof text === 'string' ? Buffer.from(text) : text;
    if (bytes.length > MAX_BYTES)
      throw new RangeError(`a text of at most ${MAX_BYTES} bytes can be cut, got ${bytes.length}`);
    const { memory, exports } = this.#instance(bytes.length);
    new Uint8Array(memory.buffer).set(bytes, exports.textAddress());
    return { memory, exports, length: bytes.length };
  }

  #release(memory: WebAssembly.Memory): void {
    if (memory.buffer.byteLength > KEPT_MEMORY) this.#exports = this.#memory = undefined;
  }

  /** The instance, with memory for a text and this many levels. */
  #instance(length: number): { memory: WebAssembly.Memory; exports: ChunkExports } {
    const memory = this.#memory ??= new WebAssembly.Memory({ initial: 4 });
    const exports = this.#exports ??= instantiateKernel(loadKernel('chunk', this.#build), memory) as ChunkExports;
    const missing = exports.textAddress() + 2 * length - memory.buffer.byteLength;
    if (missing > 0) memory.grow(Math.ceil(missing / PAGE));
    return { memory, exports };
  }
}

/** Reads all chunks; the module writes some thousands at a time. */
function readChunks(memory: WebAssembly.Memory, exports: ChunkExports, length: number, budget: number,
  { whole, dense }: Packing): ChunkRange[]
{
  const chunks: ChunkRange[] = [];
  for (;;) {
    const last = chunks.at(-1);
    const count = exports.pack(last?.end ?? 0, last?.endLine ?? 1, length, budget, whole ? 1 : 0, dense ? 1 : 0);
    if (count === 0) return chunks;
    const output = new Uint32Array(memory.buffer, exports.outputAddress(), count * FIELDS);
    for (let i = 0; i < output.length; i += FIELDS) {
      chunks.push({ start: output[i]!, end: output[i + 1]!, startLine: output[i + 2]!, endLine: output[i + 3]! });
    }
  }
}

let shared: ChunkKernel | undefined;

/** The kernel of this thread, compiled on first use. */
export function chunkKernel(): ChunkKernel {
  return shared ??= new ChunkKernel();
}
