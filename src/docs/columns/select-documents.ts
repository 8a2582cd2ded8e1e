import type { OrdSet } from '../../lib/ord-set.ts';
import { Pace } from '../../lib/pace.ts';
import type { Columns, Needs } from '../../search/columns/index.ts';
import type { Filter } from '../../search/filter/index.ts';
import type { ColumnsView } from './columns-view.ts';

/** The columns of a collection. */
export interface ReadyColumns {
  readonly columns: Columns;
  /** Whether no document has changed since. */
  isCurrent(): boolean;
}

/** Documents of a collection, and the columns that know more of them. */
export interface SelectedDocuments extends ReadyColumns {
  /** Undefined for all. */
  readonly documents: OrdSet | undefined;
}

export interface DocumentSelecting {
  /** What a request says of the documents that it is about; absent for all. */
  readonly filter?: Filter | undefined;
  /** Unix seconds: what has expired by then does not pass. */
  readonly now: number;
  /** Ordinals that do not pass. */
  readonly hidden?: readonly number[] | undefined;
  /** What will be asked of the columns, to be made ready in steps. */
  readonly needs?: Omit<Needs, 'filter'> | undefined;
}

/**
 * The documents of a collection that pass; undefined when it has none. The columns follow the feed whenever something is
 * awaited, this function included: `isCurrent` tells whether they did. Throws `IndexLoading`.
 */
export async function selectDocuments(view: Pick<ColumnsView, 'indexOf'>, collection: string, { filter, now, hidden = [], needs }: DocumentSelecting): Promise<SelectedDocuments | undefined> {
  const ready = await readyColumns(view, collection, { filter, ...needs });
  return ready && { ...ready, documents: ready.columns.select({ filter, now, ...(hidden.length > 0 && { hidden }) }) };
}

/** The columns of a collection, ready for what they will be asked; undefined when it has no documents. Throws `IndexLoading`. */
export async function readyColumns(view: Pick<ColumnsView, 'indexOf'>, collection: string, needs: Needs): Promise<ReadyColumns | undefined> {
  const pace = new Pace();
  for (;;) {
    // Asked for each time, since another may have taken its place meanwhile.
    const index = view.indexOf(collection);
    if (index === undefined) return undefined;
    const { columns, version } = index;
    if (columns.prepare(needs)) return { columns, isCurrent: () => index.version === version };
    await pace.rest();
  }
}
