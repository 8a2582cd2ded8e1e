// The vector engine compared with hnswlib-node, usearch and LanceDB: recall, speed, building and memory on real and on
// generated vectors, scans compared with the memory bandwidth, and searches while the index changes. `vectors-million`
// runs the largest collections.
import { mkdir, rm } from 'node:fs/promises';
import { freemem } from 'node:os';
import { join } from 'node:path';
import { hnswlib, lanceDb, quire, usearch, type VectorPeer } from './peers/vectors/index.ts';
import { CORPUS_HINT } from './support/corpus.ts';
import { progress } from './support/progress.ts';
import { scaled } from './support/scale.ts';
import { missing, type Section } from './support/table.ts';
import { benchBuilding } from './vectors/building.ts';
import { type Collection, generate, generatedCollection, REAL, realCollection } from './vectors/collections.ts';
import { GRAPHS, measure } from './vectors/measure.ts';
import { measureScans, scanSection } from './vectors/scan.ts';
import { checkpointSection, tablesOf, updatesSection } from './vectors/tables.ts';
import { type Measured, targetsOf } from './vectors/targets.ts';

const TITLE = 'Vectors';
const SMALL = Math.round(scaled(20_000, 1000));
const LARGE = Math.round(scaled(100_000, 2000));
const MILLION = Math.round(scaled(1_000_000, 3000));
/** Memory for rows, codes and a graph of a million vectors, and for their files in the page cache. */
const MILLION_BYTES = { 128: 4e9, 768: 14e9 };
const MILLION_BUILD_SECONDS = 1500;

export async function benchVectors(folder: string): Promise<Section[]> {
  const here = join(folder, 'vectors');
  await mkdir(here);
  const real = await realSets(here);
  const [descriptors, embeddings] = [await generatedSets(here, 128), await generatedSets(here, 768)];
  progress('searches while a graph is built');
  const building = await benchBuilding(here, descriptors.large.collection, scaled(2, 0.1));
  progress('scans');
  const scanned = embeddings.large;
  const scans = await measureScans(here, scanned.collection);
  await rm(here, { recursive: true });
  const generated = [descriptors.small, descriptors.large, embeddings.small, embeddings.large];
  return [targetsOf(generated, scans, scanned), scanSection(scanned.collection, scans),
    ...generated.flatMap(({ collection, outcomes }) => tablesOf(collection, outcomes)),
    updatesSection(descriptors.large.collection, descriptors.large.outcomes),
    ...scanned.outcomes.flatMap((
      { peer, answer },
    ) => (peer === quire && answer ? [checkpointSection(scanned.collection, answer)] : [])), building, ...real,
    aboutPeers()];
}

/** Only the scans; `npm run bench -- vector-scans`. */
export async function benchVectorScans(folder: string): Promise<Section[]> {
  const here = join(folder, 'vector-scans');
  await mkdir(here);
  progress(`writing ${LARGE} x 768`);
  const collection = await generatedCollection(here, generate(here, 768, LARGE), LARGE);
  progress('scans');
  const scans = await measureScans(here, collection);
  await rm(here, { recursive: true });
  return [targetsOf([], scans, undefined), scanSection(collection, scans)];
}

/** A million vectors: takes an hour, most of it for the peers' graphs; `npm run bench -- vectors-million`. */
export async function benchVectorsMillion(folder: string): Promise<Section[]> {
  const here = join(folder, 'vectors-million');
  await mkdir(here);
  const sections: Section[] = [];
  for (const dims of [128, 768] as const) {
    if (freemem() < MILLION_BYTES[dims] * (MILLION / 1e6)) {
      sections.push(
        missing(`${TITLE}, a million x ${dims}`, `it needs ${MILLION_BYTES[dims] / 1e9} GB of free memory`),
      );
      continue;
    }
    progress(`writing ${MILLION} x ${dims}`);
    const collection = await generatedCollection(here, generate(here, dims, MILLION), MILLION);
    const { outcomes } = await measure(here, collection,
      dims === 128 ? { theirs: GRAPHS, buildSeconds: MILLION_BUILD_SECONDS } : {
        ours: ['hnsw', 'flat', 'sq', 'sq4', 'bq', 'pq', 'int8', 'int8, scored in full', 'int4', 'int4, scored in full'],
        theirs: new Map([[usearch, ['flat']]]),
      });
    sections.push(...tablesOf(collection, outcomes));
    await rm(collection.base);
  }
  await rm(here, { recursive: true });
  return [...sections, aboutPeers()];
}

async function realSets(folder: string): Promise<Section[]> {
  const sections: Section[] = [];
  for (const name of REAL) {
    const collection = await realCollection(folder, name);
    if (collection === undefined)
      sections.push(missing(`${TITLE}, ${name}`, `it needs the folder vec: ${CORPUS_HINT}`));
    else sections.push(...tablesOf(collection, (await measure(folder, collection, { theirs: GRAPHS })).outcomes));
  }
  return sections;
}

async function generatedSets(folder: string, dims: number): Promise<{ small: Measured; large: Measured }> {
  progress(`writing ${LARGE} x ${dims}`);
  const generated = generate(folder, dims, LARGE);
  const small = await measure(folder, await collectionOf(SMALL), {});
  const large = await measure(folder, await collectionOf(LARGE), {
    smaller: small,
    ...(dims === 128 ? { updateSeconds: scaled(3, 0.2) } : { reopen: true }),
  });
  return { small, large };

  function collectionOf(count: number): Promise<Collection> {
    return generatedCollection(folder, generated, count);
  }
}

function aboutPeers(): Section {
  const peers: readonly VectorPeer[] = [quire, hnswlib, usearch, lanceDb];
  return {
    title: 'Vectors: how it was measured',
    header: [],
    rows: [],
    notes: [
      'The ten nearest, one query at a time, one thread each, after a warm-up. Graphs have M = 16 and ' +
      'efConstruction = 200; recall@10, queries/s and filters are at ef = 100, ivf and IVF_PQ at 10 lists. ' +
      'Queries/s at a recall are interpolated between the points of a sweep; with ≥ the least effort already had ' +
      'more recall.',
      'Generated vectors are a mixture of 256 clusters in 40 directions of falling weight, with noise in all ' +
      'dimensions; queries come from the same mixture. Filters leave rows at random. True neighbours are those of ' +
      'an exact scan, held against plain loops; those of the real sets came with them.',
      'Small real sets are searched by the structures though a scan would be as fast, to see their recall. Bytes ' +
      'a vector are of the structure beside the row; the growth of the process is of the first method of each ' +
      'peer and has all it holds.',
      ...peers.map((peer) => `${peer.name}: ${peer.note}.`),
    ],
  };
}
