import * as layout from '../../generated/kernels/bzip2.ts';
import { instantiateKernel, type KernelBuild, loadKernel } from './load.ts';

/** Exports of `asm/bzip2.ts`, where their contracts are documented. */
interface Bzip2Exports extends WebAssembly.Exports {
  begin(): void;
  inputAt(): number;
  inputRoom(): number;
  outputAt(): number;
  release(length: number): number;
  advance(length: number, isLast: number): number;
  drain(): number;
}

const { MORE, BLOCK, DONE } = layout;

const FAULTS: Readonly<Record<number, string>> = {
  [layout.NO_BZIP2]: 'is not bzip2',
  [layout.DAMAGED]: 'is damaged',
  [layout.WRONG_CRC]: 'is damaged: a checksum does not match',
  [layout.CUT_OFF]: 'is cut off',
  [layout.RANDOMISED]: 'has blocks of versions before 0.9.5, which are not supported',
};

/** The compressed bytes are invalid; the message is the end of a sentence. */
export class Bzip2Error extends Error {
  override readonly name = 'Bzip2Error';
}

const PAGE = 65_536;

/**
 * Decompresses a bzip2 stream incrementally, including several concatenated streams, in 8 MiB of memory. The checksum
 * of each block is checked when the block has been read, that of each stream at its end.
 */
export class Bzip2Decoder {
  readonly #memory: WebAssembly.Memory;
  readonly #call: Bzip2Exports;
  /** Number of bytes in the kernel's input buffer. */
  #length = 0;

  constructor(build: KernelBuild = 'release') {
    this.#memory = new WebAssembly.Memory({ initial: 2 });
    this.#call = instantiateKernel(loadKernel('bzip2', build), this.#memory) as Bzip2Exports;
    const end = this.#call.inputAt() + this.#call.inputRoom() + PAGE;
    this.#memory.grow(Math.ceil(end / PAGE) - 2);
    this.#call.begin();
  }

  /**
   * Decompresses the next bytes into pieces of up to 256 KiB; each is a view that is valid until the next piece is
   * requested.
   * @throws {Bzip2Error}
   */
  *unpack(bytes: Uint8Array): Generator<Uint8Array, void, undefined> {
    for (let from = 0; from < bytes.length;) {
      this.#length = this.#call.release(this.#length);
      const piece = bytes.subarray(from, from + this.#call.inputRoom() - this.#length);
      new Uint8Array(this.#memory.buffer, this.#call.inputAt() + this.#length).set(piece);
      this.#length += piece.length;
      from += piece.length;
      yield* this.#read(false);
    }
  }

  /**
   * Returns the remaining output after all bytes were passed.
   * @throws {Bzip2Error} also if the last stream is truncated.
   */
  *end(): Generator<Uint8Array, void, undefined> {
    yield* this.#read(true);
  }

  *#read(isLast: boolean): Generator<Uint8Array, void, undefined> {
    for (;;) {
      const result = this.#call.advance(this.#length, isLast ? 1 : 0);
      if (result === MORE || result === DONE) return;
      if (result !== BLOCK) throw new Bzip2Error(FAULTS[result] ?? 'is damaged');
      for (let length = this.#call.drain(); length > 0; length = this.#call.drain()) {
        yield new Uint8Array(this.#memory.buffer, this.#call.outputAt(), length);
      }
    }
  }
}
