import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { answerOf } from '../peers/in-child.ts';
import { figure, type Section } from '../support/table.ts';
import type { Collection } from './collections.ts';

export interface BuildingJob extends Pick<Collection, 'base' | 'queries' | 'count' | 'dims' | 'metric'> {
  readonly seconds: number;
}

/** Milliseconds. */
export interface Phase {
  readonly what: string;
  readonly searches: number;
  readonly perSecond: number;
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
  readonly worst: number;
}

export interface BuildingResult {
  readonly phases: readonly Phase[];
  readonly buildSeconds: number;
  readonly workers: number;
}

/** Searches while a graph is built in the background. */
export async function benchBuilding(folder: string, { base, queries, count, dims, metric }: Collection,
  seconds: number): Promise<Section>
{
  const file = join(folder, 'building-job.json');
  writeFileSync(file, JSON.stringify({ base, queries, count, dims, metric, seconds } satisfies BuildingJob));
  const { phases, buildSeconds, workers } = await answerOf<BuildingResult>(process.execPath, [
    join(import.meta.dirname, 'building-child.ts'),
    file,
  ]);
  return {
    title: `Vectors: searches while a graph of ${count.toLocaleString('en-US')} x ${dims} is built`,
    header: ['searches', 'number', 'a second', 'p50 / p95 / p99 / worst, ms'],
    rows: phases.map((
      { what, searches, perSecond, p50, p95, p99, worst },
    ) => [what, figure(searches), figure(perSecond), [p50, p95, p99, worst].map(figure).join(' / ')]),
    notes: [`One search after the other, ${workers} workers. The graph took ${figure(buildSeconds)} s.`],
  };
}
