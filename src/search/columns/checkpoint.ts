import { ColumnsKernel, PAGE_BYTES } from '../../kernels/columns.ts';
import type { KernelBuild } from '../../kernels/load.ts';
import { BlockReader } from '../../lib/checked-blocks.ts';
import { MemorySnapshot, type Piece } from '../memory-snapshot.ts';

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

/** The memory of a kernel at one moment. Until the kernel is no longer frozen, requests write only to buffers. */
export function snapshotOf(kernel: ColumnsKernel, keys: readonly string[]): MemorySnapshot {
  const { top } = kernel;
  const header: CheckpointHeader = { top, keys };
  const snapshot = new MemorySnapshot(kernel, { magic: MAGIC, format: FORMAT, header }, piecesOf(top));
  // The first piece contains the kernel's header, which requests change.
  snapshot.copy(0, () => 0);
  kernel.frozen = true;
  return snapshot;
}

function piecesOf(top: number): Piece[] {
  return Array.from({ length: Math.ceil(top / PIECE) }, (_, i) => [i * PIECE, Math.min((i + 1) * PIECE, top)]);
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
  const kernel = new ColumnsKernel(options.build, { pages, maxBytes: options.maxBytes });
  for (const piece of piecesOf(top)) await reader.blockInto(kernel.bytes.subarray(...piece));
  if ((await reader.take(4)).readUInt32LE() !== 0)
    throw new ColumnsCheckpointError('the checkpoint does not end where it should');
  if (kernel.call.adopt() === 0) throw new ColumnsCheckpointError('the checkpoint is of another layout of the memory');
  return { kernel, keys };
}
