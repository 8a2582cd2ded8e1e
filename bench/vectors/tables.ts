import { times } from '../fulltext/tables.ts';
import type { MethodResult, Point, VectorAnswer, VectorPeer } from '../peers/vectors/index.ts';
import { figure, type Section } from '../support/table.ts';
import { type Collection, SHARES } from './collections.ts';

/** The result of one peer for one collection: figures, or why there are none. */
export interface VectorOutcome {
  readonly peer: VectorPeer;
  readonly answer?: VectorAnswer;
  readonly failure?: string;
}

export const RECALLS = [0.95, 0.99] as const;
/** The number of processors that one thread keeps busy, including the host's own work. */
const ONE_THREAD = 1.2;

/**
 * Queries per second at a recall, interpolated logarithmically between two points of the sweep; undefined if no point
 * reaches it.
 */
export function speedAt(points: readonly Point[], recall: number): { readonly perSecond: number;
  readonly isBound: boolean } | undefined
{
  const i = points.findIndex((point) => point.recall >= recall);
  if (i < 0) return undefined;
  const reached = points[i]!;
  const below = points[i - 1];
  if (below === undefined) return { perSecond: reached.perSecond, isBound: true };
  const share = (recall - below.recall) / (reached.recall - below.recall);
  return { perSecond: below.perSecond ** (1 - share) * reached.perSecond ** share, isBound: false };
}

export function titleOf({ name, count, dims, metric }: Collection): string {
  return `Vectors, ${name}: ${count.toLocaleString('en-US')} x ${dims}, ${metric}`;
}

/** The tables of one collection; the first result is our own. */
export function tablesOf(collection: Collection, outcomes: readonly VectorOutcome[]): Section[] {
  const title = titleOf(collection);
  const graph = outcomes[0]?.answer?.methods['hnsw'];
  const all = outcomes.flatMap(({ peer, answer }) =>
    Object.entries(answer?.methods ?? {}).map(([name, result]) => ({ peer, name, result, answer: answer! }))
  );
  const notes = outcomes.flatMap(({ peer, failure }) => (failure === undefined ? [] : [`${peer.name}: ${failure}`]));
  notes.push(`Intrinsic dimension about ${collection.intrinsicDimension.toFixed(1)} (Levina and Bickel).`);
  for (const { peer, name, result } of all) {
    const cores = Math.max(result.buildCores, ...result.points.map((point) => point.cores));
    if (cores > ONE_THREAD) notes.push(`${peer.name} ${name}: kept up to ${cores.toFixed(1)} processors busy.`);
  }
  return [{
    title,
    notes,
    header: ['', 'recall@10', 'queries/s', 'p99, µs', ...RECALLS.map((recall) => `queries/s at ${recall}`), 'build, s',
      'bytes a vector'],
    rows: all.map(({ peer, name, result, answer },
      i) => [`${peer.name} ${name}`, result.usual.recall.toFixed(3), figure(result.usual.perSecond),
      figure(result.usual.p99),
      ...RECALLS.map((recall) =>
        speedCell(result, recall, answer === outcomes[0]?.answer || !isGraph(name) ? undefined : graph)
      ), figure(result.buildSeconds), bytesCell(result, answer, i)]
    ),
  }, filterTable(title, all)];
}

export function isGraph(name: string): boolean {
  return /hnsw/i.test(name);
}

function speedCell({ points }: MethodResult, recall: number, ours: MethodResult | undefined): string {
  const speed = speedAt(points, recall);
  if (speed === undefined) return '-';
  const mine = ours && speedAt(ours.points, recall);
  return `${speed.isBound && points.length > 1 ? '≥ ' : ''}${figure(speed.perSecond)}${
    mine === undefined ? '' : ` (ours ${times(mine.perSecond / speed.perSecond)})`
  }`;
}

function bytesCell({ bytes, resident }: MethodResult, { rowBytes }: VectorAnswer, i: number): string {
  const parts: string[] = [];
  if (i === 0 && rowBytes !== undefined) parts.push(`${figure(rowBytes)} the row`);
  if (bytes !== undefined) parts.push(figure(bytes));
  if (resident !== undefined) parts.push(`process grew by ${figure(resident)}`);
  return parts.join('; ') || '-';
}

function filterTable(title: string, all: readonly { peer: VectorPeer; name: string; result: MethodResult }[]): Section {
  const cell = (
    point: Point | undefined,
  ) => (point === undefined ? '-' : `${point.recall.toFixed(3)}, ${figure(point.perSecond)}/s`);
  return {
    title: `${title}: filters`,
    header: ['recall@10, queries/s', 'no filter', ...SHARES.map((share) => `${share * 100} % pass`)],
    rows: all.filter(({ result }) => Object.keys(result.filtered).length > 0).map((
      { peer, name, result },
    ) => [`${peer.name} ${name}`, cell(result.usual), ...SHARES.map((share) => cell(result.filtered[share]))]),
  };
}

/** Updates and removals between searches. */
export function updatesSection(collection: Collection, outcomes: readonly VectorOutcome[]): Section {
  return {
    title: `${titleOf(collection)}: updates between searches by a graph`,
    header: ['', 'updates/s', 'removals/s', 'p50 / p99 of the searches, µs', 'recall@10 afterwards', 'processors'],
    rows: outcomes.flatMap((
      { peer, answer },
    ) => (answer?.updates === undefined
      ? []
      : [[peer.name, figure(answer.updates.perSecond), figure(answer.updates.removalsPerSecond),
        `${figure(answer.updates.p50)} / ${figure(answer.updates.p99)}`, answer.updates.recallAfter.toFixed(3),
        answer.updates.cores.toFixed(2)]])
    ),
    notes: [
      'A search after each update, whose time counts. Rows get vectors of others, which go afterwards. Updates of ' +
      'ours count as done when the graph has them, though searches find them at once.',
    ],
  };
}

export function checkpointSection(collection: Collection, { reopened }: VectorAnswer): Section {
  return {
    title: `${titleOf(collection)}: checkpoint with a graph`,
    header: ['MB', 'written in, ms', 'read, and the first search by the graph answered, ms'],
    rows: reopened === undefined
      ? []
      : [[figure(reopened.megabytes), figure(reopened.saveMs), figure(reopened.loadMs)]],
  };
}
