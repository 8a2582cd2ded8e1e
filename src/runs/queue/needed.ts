import type { Queries } from '../../storage/index.ts';
import type { DefinitionStore } from './definition-store.ts';
import { cellsOfRun, isOpen } from './jobs.ts';
import { readById } from './run-rows.ts';

/** An attempt whose artefacts another run gets. */
export interface NeededAttempt {
  readonly runId: string;
  readonly attempt: number;
}

/** Most runs that are looked at, each the retry of the next one. */
const MOST_RETRIES = 20;

/**
 * The last attempts of the jobs whose artefacts a run gets, because its job needs them. A retry of some cells, or of
 * one, gets those of the others from the run that it repeats.
 */
export async function neededBy(queries: Queries, definitions: DefinitionStore,
  runId: string): Promise<NeededAttempt[]>
{
  let run = await readById(queries, runId);
  if (run === undefined) return [];
  const wanted = new Set((await definitions.ofRun(queries, run.seq)).artifactsFrom);
  const found: NeededAttempt[] = [];
  let whole = run.parent_id;
  for (let step = 0; step < MOST_RETRIES && wanted.size > 0 && run !== undefined; step++) {
    const cells = whole === null ? [] : (await cellsOfRun(queries, whole)).filter(({ job }) => wanted.has(job));
    for (const { id, job, ...cell } of cells) {
      wanted.delete(job);
      const row = await readById(queries, id);
      if (row !== undefined && !isOpen(cell) && cell.skipped === null) found.push({ runId: id, attempt: row.attempt });
    }
    const repeated: string | null = (whole === null ? run : await readById(queries, whole))?.retry_of ?? null;
    run = repeated === null ? undefined : await readById(queries, repeated);
    whole = run === undefined ? null : run.parent_id ?? (run.cells > 0 ? run.id : null);
  }
  return found;
}
