import { GeoKernel, POINT_BYTES } from '../../kernels/geo.ts';
import { block, BlockReader, u32 } from '../../lib/checked-blocks.ts';
import { Pace } from '../../lib/pace.ts';

// A checkpoint is a list of points:
//
// "QUIREGEO" u32 format u32 points u32 when the index was built, Unix seconds blocks of points (u32 ord, u32 0, f64
// lat, f64 lng) u32 0
//     block: u32 bytes, u32 CRC-32, bytes          (little endian)

const MAGIC = Buffer.from('QUIREGEO');
const FORMAT = 1;
/** Leaves of the tree that are listed in one step. */
const LEAVES = 512;

/** Reports why a checkpoint cannot be read; the index has to be rebuilt. */
class PlacesCheckpointError extends Error {}

/** The points of a kernel at one moment. The kernel must not change before `copy` has returned false. */
export class Snapshot {
  readonly #kernel: GeoKernel;
  readonly #points: number;
  readonly #builtAt: number;
  readonly #copied: Uint8Array[] = [];
  #leaves = 0;
  #isDone = false;

  constructor(kernel: GeoKernel, builtAt: number) {
    this.#kernel = kernel;
    this.#builtAt = builtAt;
    this.#points = kernel.points;
  }

  /** Copies points that are not yet read, for about this many milliseconds; returns whether any are left. */
  copy(milliseconds: number): boolean {
    const end = performance.now() + milliseconds;
    for (let piece = this.#list(); piece !== undefined; piece = this.#list()) {
      this.#copied.push(piece);
      if (performance.now() >= end) break;
    }
    return !this.#isDone;
  }

  /** The bytes of the checkpoint. */
  async *bytes(): AsyncGenerator<Uint8Array> {
    yield Buffer.concat([MAGIC, u32(FORMAT), u32(this.#points), u32(this.#builtAt)]);
    for (let piece = this.#next(); piece !== undefined; piece = this.#next()) yield block(piece);
    yield u32(0);
  }

  #next(): Uint8Array | undefined {
    return this.#copied.shift() ?? this.#list();
  }

  #list(): Uint8Array | undefined {
    if (this.#isDone) return undefined;
    const piece = this.#kernel.listPoints(this.#leaves, LEAVES);
    this.#leaves += LEAVES;
    this.#isDone = piece.length === 0;
    return this.#isDone ? undefined : piece;
  }
}

/**
 * Reads a checkpoint into a new kernel. Rejects with a PlacesCheckpointError when it is damaged or of another version.
 */
export async function readPlaces(source: AsyncIterable<Uint8Array>): Promise<{ kernel: GeoKernel; builtAt: number }> {
  const reader = new BlockReader(source, (problem) => new PlacesCheckpointError(problem));
  if (!MAGIC.equals(await reader.take(MAGIC.length))) throw new PlacesCheckpointError('not a checkpoint of places');
  const [format, points, builtAt] = await reader.numbers(3);
  if (format !== FORMAT) throw new PlacesCheckpointError(`a checkpoint of format ${FORMAT} is read, got ${format}`);
  const kernel = new GeoKernel();
  const pace = new Pace();
  for (let left = points!; left > 0;) {
    const piece = await reader.block();
    const count = piece.length / POINT_BYTES;
    if (!Number.isInteger(count) || count === 0 || count > left)
      throw new PlacesCheckpointError(`up to ${left} points should follow, got ${count}`);
    for (let from = 0; from < piece.length; from += STEP) {
      kernel.takePoints(piece.subarray(from, from + STEP));
      await pace.rest();
    }
    left -= count;
  }
  const [end] = await reader.numbers(1);
  if (end !== 0 || kernel.points !== points)
    throw new PlacesCheckpointError('the checkpoint does not end where it should');
  return { kernel, builtAt: builtAt! };
}

/** Bytes of points that are added in one step. */
const STEP = 2048 * POINT_BYTES;
