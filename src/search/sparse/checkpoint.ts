import type { KernelBuild } from '../../kernels/load.ts';
import { type BlockBytes, SparseKernel } from '../../kernels/sparse.ts';
import { block, BlockReader, completed, copied, u32 } from '../../lib/checked-blocks.ts';
import { Pace } from '../../lib/pace.ts';

// A checkpoint has the blocks of the memory (`asm/sparse/layout.ts`) as they are:
//
//     "QUIRESPA"   u32 format   block: header, JSON   blocks   u32 0
//     block: u32 bytes, u32 CRC-32, bytes          (little endian)

const MAGIC = Buffer.from('QUIRESPA');
const FORMAT = 1;
const MAX_BYTES = 2 ** 32;

/** The header of a checkpoint. */
interface CheckpointHeader {
  readonly documents: number;
  /** Bytes of each block. */
  readonly blocks: readonly number[];
}

/** Reports why a checkpoint cannot be read; the index has to be rebuilt. */
export class SparseCheckpointError extends Error {}

/** The vectors of a kernel at one moment, to be read while they change. */
export class Snapshot {
  readonly #kernel: SparseKernel;
  readonly #documents: number;
  readonly #blocks: readonly BlockBytes[];
  #isEnded = false;

  constructor(kernel: SparseKernel) {
    this.#kernel = kernel;
    this.#documents = kernel.documents;
    this.#blocks = kernel.hold();
  }

  /** Reading on from an ended snapshot rejects; blocks that have been replaced since it began are freed. */
  end(): void {
    if (!this.#isEnded) this.#kernel.release();
    this.#isEnded = true;
  }

  async *bytes(): AsyncGenerator<Uint8Array> {
    try {
      const header: CheckpointHeader = {
        documents: this.#documents,
        blocks: this.#blocks.map(({ from, to }) => to - from),
      };
      yield Buffer.concat([MAGIC, u32(FORMAT), block(Buffer.from(JSON.stringify(header)))]);
      for (const { head, from, to } of this.#blocks) {
        if (this.#isEnded) throw new SparseCheckpointError('the checkpoint was ended by another one');
        const copy = copied(this.#kernel.bytesAt(from, to));
        head.copy(copy, copy.length - (to - from));
        yield completed(copy);
      }
      yield u32(0);
    } finally {
      this.end();
    }
  }
}

/** Reads a checkpoint to a new kernel. Rejects with a SparseCheckpointError if it is damaged or of another format. */
export async function readCheckpoint(source: AsyncIterable<Uint8Array>, build?: KernelBuild): Promise<SparseKernel> {
  const reader = new BlockReader(source, (problem) => new SparseCheckpointError(problem));
  if (!MAGIC.equals(await reader.take(MAGIC.length)))
    throw new SparseCheckpointError('not a checkpoint of sparse vectors');
  const [format] = await reader.numbers(1);
  if (format !== FORMAT) throw new SparseCheckpointError(`a checkpoint of format ${FORMAT} is read, got ${format}`);
  const { documents, blocks } = JSON.parse((await reader.block()).toString()) as CheckpointHeader;
  if (blocks.reduce((sum, bytes) => sum + bytes, 0) > MAX_BYTES)
    throw new SparseCheckpointError('the checkpoint has a memory that cannot be');
  const kernel = new SparseKernel(build);
  const pace = new Pace();
  for (const bytes of blocks) {
    const at = kernel.spaceFor(bytes);
    await reader.blockInto(kernel.bytesAt(at, at + bytes));
    if (!kernel.adopt(at, bytes)) throw new SparseCheckpointError('a block is not one of sparse vectors');
    await pace.rest();
  }
  const [end] = await reader.numbers(1);
  if (end !== 0 || kernel.documents !== documents)
    throw new SparseCheckpointError('the checkpoint does not end where it should');
  return kernel;
}
