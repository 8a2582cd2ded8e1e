import { unixSeconds } from '../../../lib/clock.ts';
import type { Columns, Needs } from '../../../search/columns/index.ts';
import type { Filter } from '../../../search/filter/index.ts';
import type { Circle } from '../../../search/geo/index.ts';
import { selectDocuments, type ColumnsView } from '../../columns/index.ts';
import { withinCircle, type GeoView } from '../../geo/index.ts';
import type { DocsEnvironment } from '../../environment.ts';
import { OrdSet } from '../view/ord-set.ts';

export interface EligibilityDeps extends Pick<DocsEnvironment, 'clock'> {
  readonly columns: Pick<ColumnsView, 'indexOf'>;
  /** Must be there where documents have to be in a circle. */
  readonly geo?: Pick<GeoView, 'indexOf'>;
}

/** What narrows the documents before they are scored. */
export interface Eligibility {
  /** All that the request says of the documents. */
  readonly filter: Filter | undefined;
  /** Where they have to be; absent for anywhere. */
  readonly circle?: Circle | undefined;
  /** Ordinals that are not to be found. */
  readonly hidden?: readonly number[];
  /** What else the columns will be asked for. */
  readonly needs?: Omit<Needs, 'filter'>;
}

/** The documents that a search may find, and the columns that know more of them. */
export interface Eligible {
  /** Undefined for all. Nobody may change it: without hidden ones and a circle it is the same object for the same filter as long as nothing changes. */
  readonly documents: OrdSet | undefined;
  /** Undefined where the collection has no documents. They follow the feed whenever something is awaited. */
  readonly columns: Columns | undefined;
}

/** The documents of a collection that match the filter, are in the circle, have not expired, and are not hidden. Throws `index_loading`. */
export async function eligibleDocuments({ columns: view, clock, geo }: EligibilityDeps, collection: string, { circle, ...eligibility }: Eligibility): Promise<Eligible> {
  const selected = await selectDocuments(view, collection, { ...eligibility, now: unixSeconds(clock) });
  if (selected === undefined) return { documents: new OrdSet(), columns: undefined };
  if (circle === undefined) return selected;
  return { ...selected, documents: withinCircle(geo!, collection, circle, selected.documents) };
}
