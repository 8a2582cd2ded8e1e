/** A query has a dimension of which the index has no vectors. */
export class DimensionError extends Error {
  readonly dims: number;
  /** Dimensions of the vectors that there are, ascending. */
  readonly known: readonly number[];

  constructor(dims: number, known: readonly number[]) {
    super(`the vectors have ${known.join(' or ')} dimensions, got ${dims}`);
    this.dims = dims;
    this.known = known;
  }
}

/** Says why a checkpoint cannot be read: the index has to be built anew. */
export class VectorCheckpointError extends Error {}

/** The index was closed. */
export class VectorIndexClosedError extends Error {
  constructor() {
    super('the vector index was closed');
  }
}
