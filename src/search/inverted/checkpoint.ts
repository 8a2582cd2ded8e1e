import { InvertedKernel, PAGE_BYTES, PageKind } from '../../kernels/inverted.ts';
import type { KernelBuild } from '../../kernels/load.ts';
import { BlockReader } from '../../lib/checked-blocks.ts';
import { MemorySnapshot, type Piece } from '../memory-snapshot.ts';

// A checkpoint is a copy of the memory without free and scratch pages:
//
//     "QUIREFTS"   u32 format   block: header, JSON   blocks: pages, in the order of the header's runs   u32 0
//     block: u32 bytes, u32 CRC-32, bytes          (little endian)

const MAGIC = Buffer.from('QUIREFTS');
const FORMAT = 3;
const BLOCK_PAGES = 16;

/** The header of a checkpoint. */
interface CheckpointHeader {
  /** Position in the change feed up to which the index is complete. */
  readonly lsn: string;
  /** Version of the tokeniser's tables; forms of another version may differ. */
  readonly tables: string;
  readonly analyzers: readonly { number: number; name: string }[];
  /** Names of the fields that have a number of their own, in order. */
  readonly fields: readonly string[];
  /** Pages of the memory, and the runs of pages in the checkpoint: first page, number. */
  readonly pages: number;
  readonly runs: readonly (readonly [first: number, count: number])[];
}

/** Reports why a checkpoint cannot be read; the index has to be rebuilt. */
export class CheckpointError extends Error {}

/** The pages of a kernel at one moment. */
export function snapshotOf(kernel: InvertedKernel, about: Omit<CheckpointHeader, 'pages' | 'runs'>): MemorySnapshot {
  const kinds = kernel.pageKinds();
  const runs = usedRuns(kinds);
  const header: CheckpointHeader = { ...about, pages: kinds.length, runs };
  return new MemorySnapshot(kernel, { magic: MAGIC, format: FORMAT, header }, piecesOf(runs));
}

/** Reads a checkpoint into a new kernel. Throws a CheckpointError when it is damaged or of another version. */
export async function readCheckpoint(source: AsyncIterable<Uint8Array>, tables: string,
  { build, maxBytes }: { build?: KernelBuild; maxBytes?: number }
): Promise<{ kernel: InvertedKernel; header: CheckpointHeader }> {
  const reader = new BlockReader(source, (problem) => new CheckpointError(problem));
  if (!MAGIC.equals(await reader.take(MAGIC.length)))
    throw new CheckpointError('not a checkpoint of a full-text index');
  const format = (await reader.take(4)).readUInt32LE();
  if (format !== FORMAT) throw new CheckpointError(`a checkpoint of format ${FORMAT} is read, got ${format}`);
  const header = parseHeader(await reader.block());
  if (header.tables !== tables)
    throw new CheckpointError(`the checkpoint's tokens are of version ${header.tables}, those of today of ${tables}`);
  const kernel = new InvertedKernel(build, { pages: header.pages, maxBytes });
  for (const piece of piecesOf(header.runs)) await reader.blockInto(kernel.bytes.subarray(...piece));
  if ((await reader.take(4)).readUInt32LE() !== 0)
    throw new CheckpointError('the checkpoint does not end where it should');
  if (kernel.call.adopt() === 0) throw new CheckpointError('the checkpoint is of another layout of the memory');
  return { kernel, header };
}

/** Checked only as far as is needed to use it safely; the checksum has shown that it is what was written. */
function parseHeader(bytes: Buffer): CheckpointHeader {
  const header = JSON.parse(bytes.toString()) as CheckpointHeader;
  const inside = header.runs.every(([first, count]) => first > 0 && count > 0 && first + count <= header.pages);
  if (!inside || header.pages > 65_536) throw new CheckpointError('the checkpoint names pages that it has not');
  return header;
}

/** Runs of pages with content to keep. Page 0 belongs to the module. */
function usedRuns(kinds: Uint8Array): [number, number][] {
  const runs: [number, number][] = [];
  for (let page = 1; page < kinds.length; page++) {
    if (kinds[page] === PageKind.free || kinds[page] === PageKind.scratch) continue;
    const last = runs.at(-1);
    if (last !== undefined && last[0] + last[1] === page) last[1]++;
    else runs.push([page, 1]);
  }
  return runs;
}

function piecesOf(runs: CheckpointHeader['runs']): Piece[] {
  const result: Piece[] = [];
  for (const [first, count] of runs) {
    for (let page = first; page < first + count; page += BLOCK_PAGES)
      result.push([page * PAGE_BYTES, Math.min(page + BLOCK_PAGES, first + count) * PAGE_BYTES]);
  }
  return result;
}
