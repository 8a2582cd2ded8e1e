import { existsSync, readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import type { Metric } from '../../search/vector/index.ts';

/** Real vectors with their true nearest neighbours, which are stored beside the repository on some machines. */
const FOLDER = new URL('../../../../shared/corpus/vec/', import.meta.url);

export const CORPORA = ['glove50', 'mnist784', 'sift128'] as const;

export interface Corpus {
  readonly dims: number;
  readonly metric: Metric;
  readonly base: readonly Float32Array[];
  readonly queries: readonly Float32Array[];
  /** For each query, the numbers of its nearest base vectors, nearest first. */
  readonly neighbours: readonly Int32Array[];
}

/** Why tests on a corpus are skipped; undefined if it is present. */
export function missingCorpus(name: string): string | undefined {
  return existsSync(new URL(`${name}.json`, FOLDER)) ? undefined : `the vectors of ${name} are not on this machine`;
}

export function loadCorpus(name: string): Corpus {
  const { dim, metric, k } = JSON.parse(readFileSync(new URL(`${name}.json`, FOLDER), 'utf8')) as { dim: number;
    metric: string; k: number };
  const floats = (bytes: Buffer) => new Float32Array(Uint8Array.from(bytes).buffer);
  const rows = (all: Float32Array) =>
    Array.from({ length: all.length / dim }, (_, i) => all.subarray(i * dim, (i + 1) * dim));
  const neighbours = new Int32Array(Uint8Array.from(readFileSync(new URL(`${name}.gt.i32`, FOLDER))).buffer);
  return {
    dims: dim,
    metric: metric === 'cosine' ? 'cosine' : 'euclidean',
    base: rows(floats(gunzipSync(readFileSync(new URL(`${name}.base.f32.gz`, FOLDER))))),
    queries: rows(floats(readFileSync(new URL(`${name}.queries.f32`, FOLDER)))),
    neighbours: Array.from({ length: neighbours.length / k }, (_, i) => neighbours.subarray(i * k, (i + 1) * k)),
  };
}
