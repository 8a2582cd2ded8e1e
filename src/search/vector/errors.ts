import { BlockReader } from '../../lib/checked-blocks.ts';

/** The index has no vectors of the query's dimension. */
export class DimensionError extends Error {
  readonly dims: number;
  /** Dimensions of the existing vectors, ascending. */
  readonly known: readonly number[];

  constructor(dims: number, known: readonly number[]) {
    super(`the vectors have ${known.join(' or ')} dimensions, got ${dims}`);
    this.dims = dims;
    this.known = known;
  }
}

/** Reports why a checkpoint cannot be read; the index has to be rebuilt. */
export class VectorCheckpointError extends Error {}

/** The index was closed. */
export class VectorIndexClosedError extends Error {
  constructor() {
    super('the vector index was closed');
  }
}

/** Reads exact numbers of bytes, and blocks, from a checkpoint. */
export class ByteReader extends BlockReader {
  constructor(source: AsyncIterable<Uint8Array>) {
    super(source, (problem) => new VectorCheckpointError(problem));
  }
}
