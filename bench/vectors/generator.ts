import { closeSync, openSync, writeSync } from 'node:fs';
import { seeded } from '../support/corpus.ts';

/** Number of directions in which rows differ within a cluster: similar to embeddings and image descriptors. */
const LATENT = 40;
const CLUSTERS = 256;
/**
 * The spread of the clusters' centres, and the noise added in all dimensions, relative to the spread within a cluster.
 */
const CENTRES = 1;
const NOISE = 0.15;
/** The k-th direction has (k + 1) ** -DECAY times the spread of the first. */
const DECAY = 0.5;
const TABLE = 1 << 20;
const BATCH = 1000;

/**
 * A mixture of Gaussians with a distribution like embeddings: clusters of unequal size in a space of few directions of
 * decreasing weight, mapped into `dims` dimensions, with a little noise. Rows are independent of each other, so the
 * first thousand are as good a sample as any, and rows and queries of one seed come from one mixture.
 */
export class Mixture {
  readonly #dims: number;
  readonly #random: () => number;
  readonly #normals: Float32Array;
  /** The directions of the latent space, one after another, each of `dims` numbers. */
  readonly #directions: Float32Array;
  readonly #centres: Float32Array;
  readonly #spreads: Float32Array;
  readonly #offset: Float32Array;

  constructor(dims: number, seed: number) {
    this.#dims = dims;
    this.#random = seeded(seed);
    this.#normals = Float32Array.from({ length: TABLE }, () => this.#normal());
    const scale = 1 / Math.sqrt(dims);
    this.#directions = Float32Array.from({ length: LATENT * dims },
      (_, i) => this.#normal() * scale * (Math.floor(i / dims) + 1) ** -DECAY);
    this.#centres = Float32Array.from({ length: CLUSTERS * LATENT }, () => this.#normal() * CENTRES);
    this.#spreads = Float32Array.from({ length: CLUSTERS }, () => 0.5 + this.#random());
    this.#offset = Float32Array.from({ length: dims }, () => this.#normal() * scale);
  }

  /** Writes the next row. */
  row(into: Float32Array): void {
    const random = this.#random;
    const dims = this.#dims;
    const normals = this.#normals;
    // Because of the square, some clusters are far larger than others.
    const cluster = Math.floor(random() ** 2 * CLUSTERS);
    const spread = this.#spreads[cluster]!;
    const noise = Math.floor(random() * (TABLE - dims));
    const amount = (NOISE * spread) / Math.sqrt(dims);
    for (let i = 0; i < dims; i++) into[i] = this.#offset[i]! + amount * normals[noise + i]!;
    const draw = Math.floor(random() * (TABLE - LATENT));
    for (let k = 0; k < LATENT; k++) {
      const weight = this.#centres[cluster * LATENT + k]! + spread * normals[draw + k]!;
      const at = k * dims;
      for (let i = 0; i < dims; i++) into[i]! += weight * this.#directions[at + i]!;
    }
  }

  #normal(): number {
    return Math.sqrt(-2 * Math.log(1 - this.#random())) * Math.cos(2 * Math.PI * this.#random());
  }
}

/** Writes rows of a mixture to a file, and then queries to another. */
export function writeMixture(dims: number, seed: number,
  files: readonly { readonly file: string; readonly count: number }[]): void
{
  const mixture = new Mixture(dims, seed);
  const buffer = new Float32Array(BATCH * dims);
  for (const { file, count } of files) {
    const out = openSync(file, 'w');
    for (let first = 0; first < count; first += BATCH) {
      const rows = Math.min(BATCH, count - first);
      for (let i = 0; i < rows; i++) mixture.row(buffer.subarray(i * dims, (i + 1) * dims));
      writeSync(out, new Uint8Array(buffer.buffer, 0, rows * dims * 4));
    }
    closeSync(out);
  }
}
