import { times } from '../fulltext/tables.ts';
import { hnswlib, lanceDb, usearch, type VectorPeer } from '../peers/vectors/index.ts';
import { SCALE } from '../support/scale.ts';
import { figure, type Section } from '../support/table.ts';
import type { Collection } from './collections.ts';
import type { ScanResult } from './scan.ts';
import { RECALLS, speedAt, type VectorOutcome } from './tables.ts';

export interface Measured {
  readonly collection: Collection;
  readonly outcomes: readonly VectorOutcome[];
}

/** The minimum that a target requires, or the maximum. */
interface Bound {
  readonly least?: number;
  readonly most?: number;
}

/** Each target of the design and the value measured in this run; `scanned` is the collection that was scanned. */
export function targetsOf(measured: readonly Measured[], scans: ScanResult | undefined,
  scanned: Measured | undefined): Section
{
  return {
    title: `Vectors: targets${SCALE === 1 ? '' : ` (of a run with ${SCALE} of the vectors, so they mean nothing)`}`,
    header: ['what', 'target', 'measured', 'met'],
    rows: [...scanRows(scans), ...(scanned === undefined ? [] : largestRows(scanned)),
      ...measured.flatMap((each) => [hnswlib, usearch].flatMap((peer) => graphRows(each, peer)))],
  };
}

function scanRows(scans: ScanResult | undefined): string[][] {
  const ratio = (a: string, b: string) => (scans?.[a] && scans[b] ? scans[a].median / scans[b].median : undefined);
  const repeated = (a: string,
    b: string) => (scans?.[a] && scans[b] ? scans[a].repeated / scans[b].repeated : undefined);
  return [row('flat scan, of what a thread reads', { least: 0.9 }, ratio('read 1', 'flat 1')),
    row('the same, 2 threads', { least: 0.9 }, ratio('read 2', 'flat 2')),
    row('sq, of the flat scan', { least: 3 }, repeated('flat 1', 'sq')),
    row('int8 as stored, of the flat scan', { least: 3 }, repeated('flat 1', 'int8')),
    row('bq, of the flat scan', { least: 12 }, repeated('flat 1', 'bq')),
    row("flat beside usearch's exact search, 1 thread each, in turn", { least: 1 }, ratio('usearch, exact', 'flat 1')),
    row('the same, again and again', { least: 1 }, repeated('usearch, exact', 'flat 1'))];
}

function largestRows({ collection, outcomes: [ours, ...others] }: Measured): string[][] {
  const answer = ours?.answer;
  const of = (name: string) => answer?.methods[name]?.usual;
  const peers = [lanceDb].map((peer) => {
    const theirs = others.find((each) => each.peer === peer)?.answer?.methods['flat']?.usual.perSecond;
    return row(`flat, queries/s beside ${peer.name}'s exact search`, { least: 1 },
      of('flat') && theirs && of('flat')!.perSecond / theirs);
  });
  const load = answer?.reopened?.loadMs;
  const size = collection.dims * 4;
  const graph = answer?.methods['hnsw']?.bytes;
  return [...peers, ...['sq', 'bq'].map((name) => {
    const recall = of(name)?.recall;
    return [`recall@10 of ${name}`, 'at least 0.98', recall?.toFixed(3) ?? 'not measured',
      verdict(recall, { least: 0.98 })];
  }), row('memory of the rows, of their size', { most: 1.15 }, answer?.rowBytes && answer.rowBytes / size),
    row('the same with a graph over them', { most: 1.15 },
      answer?.rowBytes && graph && (answer.rowBytes + graph) / size), [
    `checkpoint of ${nameOf(collection)} with a graph, until the first search`,
    'under 2 s',
    load === undefined ? 'not measured' : `${figure(load)} ms`,
    verdict(load, { most: 2000 }),
  ]];
}

function graphRows({ collection, outcomes }: Measured, peer: VectorPeer): string[][] {
  const [ours, theirs] = [outcomes[0]?.answer, outcomes.find((each) => each.peer === peer)?.answer].map((answer) =>
    answer?.methods['hnsw']
  );
  if (theirs === undefined) return [];
  const speeds = RECALLS.map((recall) => {
    const [mine, others] = [ours, theirs].map((result) => result && speedAt(result.points, recall)?.perSecond);
    return row(`hnsw, ${nameOf(collection)}: queries/s at ${recall} beside ${peer.name}`, { least: 1 },
      mine && others && mine / others);
  });
  return [...speeds,
    row(`the same: build time beside ${peer.name}`, { most: 1.2 }, ours && ours.buildSeconds / theirs.buildSeconds)];
}

function nameOf({ name, count, dims, isReal }: Collection): string {
  return isReal ? name : `${count.toLocaleString('en-US')} x ${dims}`;
}

function row(what: string, bound: Bound, ratio: number | undefined): string[] {
  const target = bound.least === undefined ? `at most ${bound.most}x` : `at least ${bound.least}x`;
  return [what, target, ratio ? times(ratio) : 'not measured', verdict(ratio, bound)];
}

function verdict(value: number | undefined, { least = 0, most = Infinity }: Bound): string {
  if (!value) return '-';
  return value >= least && value <= most ? 'yes' : 'no';
}
