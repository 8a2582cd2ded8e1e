import { unixSeconds } from '../../../lib/clock.ts';
import { OrdSet } from '../../../lib/ord-set.ts';
import type { Columns, Needs } from '../../../search/columns/index.ts';
import type { Filter } from '../../../search/filter/index.ts';
import type { Circle } from '../../../search/geo/index.ts';
import { type ColumnsView, selectDocuments } from '../../columns/index.ts';
import type { DocsEnvironment } from '../../environment.ts';
import { type GeoView, withinCircle } from '../../geo/index.ts';

export interface EligibilityDeps extends Pick<DocsEnvironment, 'clock'> {
  readonly columns: Pick<ColumnsView, 'indexOf'>;
  /** Required if the request has a circle. */
  readonly geo?: Pick<GeoView, 'indexOf'>;
}

/** What restricts the documents before they are scored. */
export interface Eligibility {
  /** All conditions of the request on documents. */
  readonly filter: Filter | undefined;
  /** The circle in which they must be; absent for any place. */
  readonly circle?: Circle | undefined;
  /** Ordinals that must not be found. */
  readonly hidden?: readonly number[];
  /** What else the columns will be used for. */
  readonly needs?: Omit<Needs, 'filter'>;
}

/** The documents that a search may find, and the columns with their values. */
export interface Eligible {
  /**
   * Undefined for all. Callers must not change it: without hidden documents and a circle, the same object is returned
   * for the same filter until something changes.
   */
  readonly documents: OrdSet | undefined;
  /** Undefined if the collection has no documents. They may change at every `await`, because they follow the feed. */
  readonly columns: Columns | undefined;
}

/**
 * The documents of a collection that match the filter, are in the circle, have not expired and are not hidden. Throws
 * `index_loading`.
 */
export async function eligibleDocuments({ columns: view, clock, geo }: EligibilityDeps, collection: string,
  { circle, ...eligibility }: Eligibility): Promise<Eligible>
{
  const selected = await selectDocuments(view, collection, { ...eligibility, now: unixSeconds(clock) });
  if (selected === undefined) return { documents: new OrdSet(), columns: undefined };
  if (circle === undefined) return selected;
  return { ...selected, documents: await withinCircle(geo!, collection, circle, selected.documents) };
}
