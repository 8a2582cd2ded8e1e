import { ColumnsKernel, PAGE_BYTES } from '../../kernels/columns.ts';
import type { KernelBuild } from '../../kernels/load.ts';
import { block, BlockReader, completed, copied, u32 } from '../../lib/checked-blocks.ts';

// A checkpoint is a copy of the memory up to its top:
//
//     "QUIRECOL"   u32 format   block: header, JSON   blocks: a mebibyte each, the last one shorter   u32 0
//     block: u32 bytes, u32 CRC-32, bytes          (little endian)

const MAGIC = Buffer.from('QUIRECOL');
const FORMAT = 1;
const PIECE = 1 << 20;

/** The header of a checkpoint. */
interface CheckpointHeader {
  /** Bytes of the memory. */
  readonly top: number;
  /** Metadata keys in the order of their column numbers, beginning with the first metadata column. */
  readonly keys: readonly string[];
}

/** Reports why a checkpoint cannot be read; the columns have to be rebuilt. */
export class ColumnsCheckpointError extends Error {}

/**
 * The memory of a kernel at one moment, to be written while the kernel continues to work. Between changes, requests
 * write only to buffers (`frozen`).
 */
export class Snapshot {
  readonly #kernel: ColumnsKernel;
  readonly #header: CheckpointHeader;
  /** Pieces that are still to be read from the memory: from, to. */
  readonly #pending: [from: number, to: number][] = [];
  /**
   * Pieces that were copied and are written before the others; the first contains the kernel's header, which requests
   * change.
   */
  readonly #copied: Buffer[];

  constructor(kernel: ColumnsKernel, keys: readonly string[]) {
    this.#kernel = kernel;
    this.#header = { top: kernel.top, keys };
    for (let from = 0; from < kernel.top; from += PIECE) this.#pending.push([from, Math.min(from + PIECE, kernel.top)]);
    this.#copied = this.#copyOne();
    kernel.frozen = true;
  }

  /**
   * Copies pieces that are not yet written, for about this many milliseconds; returns whether any are left. When all
   * are copied, the memory may change.
   */
  copy(milliseconds: number, now: () => number): boolean {
    const end = now() + milliseconds;
    while (this.#pending.length > 0) {
      this.#copied.push(...this.#copyOne());
      if (now() >= end) break;
    }
    return this.#pending.length > 0;
  }

  /** The bytes of the checkpoint, in pieces of up to 1 MiB. */
  async *bytes(): AsyncGenerator<Uint8Array> {
    yield Buffer.concat([MAGIC, u32(FORMAT), block(Buffer.from(JSON.stringify(this.#header)))]);
    for (let piece = this.#next(); piece !== undefined; piece = this.#next()) yield piece;
    yield u32(0);
  }

  #copyOne(): Buffer[] {
    return [copied(this.#kernel.bytes.subarray(...this.#pending.shift()!))];
  }

  #next(): Buffer | undefined {
    const first = this.#copied.shift();
    if (first !== undefined) return completed(first);
    const pending = this.#pending.shift();
    return pending && block(this.#kernel.bytes.subarray(...pending));
  }
}

/** Reads a checkpoint into a new kernel. Throws a ColumnsCheckpointError when it is damaged or of another version. */
export async function readCheckpoint(source: AsyncIterable<Uint8Array>,
  options: { readonly build?: KernelBuild; readonly maxBytes?: number }
): Promise<{ kernel: ColumnsKernel; keys: readonly string[] }> {
  const reader = new BlockReader(source, (problem) => new ColumnsCheckpointError(problem));
  if (!MAGIC.equals(await reader.take(MAGIC.length))) throw new ColumnsCheckpointError('not a checkpoint of columns');
  const format = (await reader.take(4)).readUInt32LE();
  if (format !== FORMAT) throw new ColumnsCheckpointError(`a checkpoint of format ${FORMAT} is read, got ${format}`);
  const { top, keys } = JSON.parse((await reader.block()).toString()) as CheckpointHeader;
  const pages = Math.ceil((top + PAGE_BYTES / 2) / PAGE_BYTES);
  if (!Number.isInteger(top) || top < PAGE_BYTES / 2 || pages > 65_536)
    throw new ColumnsCheckpointError('the checkpoint has a memory that cannot be');
  const kernel = new ColumnsKernel(options.build, {
    pages,
    maxBytes: options.maxBytes,
  });
  for (let from = 0; from < top; from += PIECE)
    await reader.blockInto(kernel.bytes.subarray(from, Math.min(from + PIECE, top)));
  if ((await reader.take(4)).readUInt32LE() !== 0)
    throw new ColumnsCheckpointError('the checkpoint does not end where it should');
  if (kernel.call.adopt() === 0) throw new ColumnsCheckpointError('the checkpoint is of another layout of the memory');
  return { kernel, keys };
}
