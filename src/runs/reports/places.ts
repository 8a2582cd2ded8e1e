import type { Queries } from '../../storage/index.ts';
import type { Queue } from '../queue/port.ts';
import { listResults, type ResultRow, seqOf } from './result-rows.ts';

/** A place in a file that a result of a run points at. */
export interface ResultPlace {
  readonly path: string;
  readonly line: number;
  readonly level: 'notice' | 'warning' | 'failure';
  readonly title: string;
  readonly message: string;
}

/** So many fit into one request to GitHub. */
const MOST = 50;
/** Results that are looked at for places: failures come first. */
const READ = 200;
const MAX_TEXT = 2000;

/** The places of the failures and findings of a run, and of its cells; at most 50. */
export async function placesOf(from: Queries, queue: Pick<Queue, 'get' | 'list'>,
  runId: string): Promise<ResultPlace[]>
{
  const run = await queue.get(runId);
  if (run === undefined) return [];
  const runs = run.cells > 0 ? await queue.list({ parentId: runId }, undefined, run.cells) : [run];
  const places: ResultPlace[] = [];
  for (const { id, attempt } of runs) {
    if (places.length >= MOST) break;
    const key = { seq: await seqOf(from, id), attempt };
    const rows = await listResults(from, key, { state: undefined, words: [] }, undefined, READ);
    places.push(...rows.flatMap(placeOf));
  }
  return places.slice(0, MOST);
}

/** None for a result that is no failure, or that names no line of a file of the repository. */
function placeOf({ state, file, line, level, name, message, detail }: ResultRow): ResultPlace[] {
  const isBad = state === 'failed' || state === 'error';
  const path = file.replace(/^\.\//, '');
  if ((!isBad && state !== 'warning') || line === null || path === '' ||
    /^([a-z]+:|[/\\])|(^|\/)\.\.(\/|$)/i.test(path))
    return [];
  return [{
    path,
    line,
    level: isBad ? 'failure' : level === 'note' ? 'notice' : 'warning',
    title: name.slice(0, 255),
    message: (message || detail || name).slice(0, MAX_TEXT),
  }];
}
