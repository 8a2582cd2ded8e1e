import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { answerOf } from '../peers/in-child.ts';
import type { VectorJob } from '../peers/vectors/index.ts';

export interface TruthJob extends Pick<VectorJob, 'base' | 'count' | 'dims' | 'metric' | 'queries' | 'shares'> {
  readonly out: string;
}

export interface TruthSummary {
  readonly intrinsicDimension: number;
}

/** Finds the true neighbours of all queries, in a separate process. */
export function findTruth(folder: string, job: TruthJob): Promise<TruthSummary> {
  const file = join(folder, 'truth-job.json');
  writeFileSync(file, JSON.stringify(job));
  return answerOf<TruthSummary>(process.execPath, [join(import.meta.dirname, 'truth-child.ts'), file]);
}
