import { instantiateKernel, type KernelBuild, loadKernel } from './load.ts';

/** What `asm/bzip2.ts` exports; the contracts stand there. */
interface Bzip2Exports extends WebAssembly.Exports {
  begin(): void;
  inputAt(): number;
  inputRoom(): number;
  outputAt(): number;
  release(length: number): number;
  advance(length: number, isLast: number): number;
  drain(): number;
}

const [MORE, BLOCK, DONE] = [0, 1, 2];

const FAULTS: Readonly<Record<number, string>> = {
  [-1]: 'is not bzip2',
  [-2]: 'is damaged',
  [-3]: 'is damaged: a checksum does not match',
  [-4]: 'is cut off',
  [-5]: 'has blocks of versions before 0.9.5, which are not supported',
};

/** Compressed bytes that cannot be unpacked; the message is a sentence's end. */
export class Bzip2Error extends Error {
  override readonly name = 'Bzip2Error';
}

const PAGE = 65_536;

/**
 * Unpacks bzip2 as it comes, several streams one after the other included, in 8 MiB of memory. The checksum of each block is
 * checked when the block has been read, that of each stream at its end.
 */
export class Bzip2Decoder {
  readonly #memory: WebAssembly.Memory;
  readonly #call: Bzip2Exports;
  /** Bytes of the kernel's input that are there. */
  #length = 0;

  constructor(build: KernelBuild = 'release') {
    this.#memory = new WebAssembly.Memory({ initial: 2 });
    this.#call = instantiateKernel(loadKernel('bzip2', build), this.#memory) as Bzip2Exports;
    const end = this.#call.inputAt() + this.#call.inputRoom() + PAGE;
    this.#memory.grow(Math.ceil(end / PAGE) - 2);
    this.#call.begin();
  }

  /**
   * What comes out of the next compressed bytes, in pieces of up to 256 KiB, each a view that is good until the next is asked for.
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
   * What is still to come, once all bytes are given.
   * @throws {Bzip2Error} also when the last stream has no end.
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
