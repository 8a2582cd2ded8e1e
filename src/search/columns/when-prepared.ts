import { Pace } from '../../lib/pace.ts';
import { gathered } from '../parts/index.ts';
import type { Needs, ReadableColumns } from './contract.ts';

/** Columns at one moment. */
interface Look {
  readonly columns: Pick<ReadableColumns, 'prepare'>;
  /** Different after each change of a document. */
  readonly version: number | string;
}

/** Changes during which columns are prepared for a filter. */
const MOST_CHANGES = 3;

/**
 * Prepares columns in steps, between which other requests have their turn, and returns what is then read of them at
 * once. `look` returns the present columns, which others may replace; undefined for none. `read` may be called again
 * when parts of the columns in other processes have answered.
 */
export async function whenPrepared<Found extends Look, T>(look: () => Found | undefined, needs: Needs,
  read: (found: Found) => T): Promise<T | undefined>
{
  let pace: Pace | undefined;
  let [seen, changes]: [number | string, number] = [-1, -1];
  const step = (): { readonly isMore: boolean; readonly value?: T } => {
    const found = look();
    if (found === undefined) return { isMore: false };
    const { columns, version } = found;
    if (version !== seen) [seen, changes] = [version, changes + 1];
    // Each change of a document lets the evaluation of a filter begin again: after some, it is left to `select`.
    const isReady = columns.prepare(changes < MOST_CHANGES ? needs : { ...needs, now: undefined });
    return isReady ? { isMore: false, value: read(found) } : { isMore: true };
  };
  for (;;) {
    const { isMore, value } = await gathered(step);
    if (!isMore) return value;
    // Made only now, because it reads the state of the event loop, which takes some microseconds.
    pace ??= new Pace();
    await pace.rest();
  }
}
