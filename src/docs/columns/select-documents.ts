import type { OrdSet } from '../../lib/ord-set.ts';
import { Pace } from '../../lib/pace.ts';
import type { Columns, Needs } from '../../search/columns/index.ts';
import type { Filter } from '../../search/filter/index.ts';
import type { ColumnsView } from './columns-view.ts';

/** The columns of a collection. */
export interface ReadyColumns {
  readonly columns: Columns;
  /** Whether no document has changed since the columns were returned. */
  isCurrent(): boolean;
}

/** Documents of a collection, and the columns with their values. */
export interface SelectedDocuments extends ReadyColumns {
  /** Undefined for all. */
  readonly documents: OrdSet | undefined;
}

export interface DocumentSelecting {
  /** The filter of the request; absent for all. */
  readonly filter?: Filter | undefined;
  /** Unix seconds: documents that have expired by then do not pass. */
  readonly now: number;
  /** Ordinals that do not pass. */
  readonly hidden?: readonly number[] | undefined;
  /** What the caller will read from the columns; it is prepared in steps. */
  readonly needs?: Omit<Needs, 'filter'> | undefined;
}

/**
 * The documents of a collection that pass; undefined when it has none. The columns may change at every `await`, also
 * while this function runs: `isCurrent` tells whether they did. Throws `IndexLoading`.
 */
export async function selectDocuments(view: Pick<ColumnsView, 'indexOf'>, collection: string,
  { filter, now, hidden = [], needs }: DocumentSelecting): Promise<SelectedDocuments | undefined>
{
  const ready = await readyColumns(view, collection, { filter, now, ...needs });
  return ready && { ...ready, documents: ready.columns.select({ filter, now, ...(hidden.length > 0 && { hidden }) }) };
}

/** Changes during which columns are prepared for a filter. */
const MOST_CHANGES = 3;

/** The columns of a collection, prepared for `needs`; undefined when it has no documents. Throws `IndexLoading`. */
export async function readyColumns(view: Pick<ColumnsView, 'indexOf'>, collection: string,
  needs: Needs): Promise<ReadyColumns | undefined>
{
  let pace: Pace | undefined;
  let [seen, changes] = [-1, -1];
  for (;;) {
    // Looked up each time, because another index may have replaced it meanwhile.
    const index = view.indexOf(collection);
    if (index === undefined) return undefined;
    const { columns, version } = index;
    if (version !== seen) [seen, changes] = [version, changes + 1];
    // Each change of a document lets the evaluation of a filter begin again: after some, it is left to `select`.
    if (columns.prepare(changes < MOST_CHANGES ? needs : { ...needs, now: undefined }))
      return {
        columns,
        isCurrent: () => index.version === version,
      };
    // Made only now, because it reads the state of the event loop, which takes some microseconds.
    pace ??= new Pace();
    await pace.rest();
  }
}
