import { unixSeconds } from '../../lib/clock.ts';
import { OrdSet } from '../../lib/ord-set.ts';
import type { Needs, ReadableColumns } from '../../search/columns/index.ts';
import { composed, type Filter } from '../../search/filter/index.ts';
import type { Circle } from '../../search/geo/index.ts';
import { type ColumnsView, selectDocuments } from '../columns/index.ts';
import type { DocsEnvironment } from '../environment.ts';
import type { GeoView } from '../geo/index.ts';

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
  readonly columns: ReadableColumns | undefined;
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

/** The documents in a circle, of some documents of a collection or of all. Throws `IndexLoading`. */
export async function withinCircle(view: Pick<GeoView, 'indexOf'>, collection: string, circle: Circle,
  documents: OrdSet | undefined): Promise<OrdSet>
{
  return view.indexOf(collection)?.inCircle(circle, documents) ?? new OrdSet();
}

/** Minimum of a factor (contract, "Full-text search": `boost`). */
const FLOOR = 0.001;
/** Maximum of a factor: scores have single precision, and are added up. */
const CEILING = 1e30;

/**
 * The factors of documents by ordinal, 1 for those that no boost matches; undefined when no boost matches any document.
 * Callers must not change them. A positive number multiplies and a negative one divides; several matches multiply.
 */
export function boostFactors(columns: Pick<ReadableColumns, 'factors'> | undefined,
  boost: Readonly<Record<string, number>>): Float32Array | undefined
{
  const entries = Object.entries(boost);
  if (entries.length === 0) return undefined;
  return columns?.factors(entries.map(([name, weight]) => ({ ...splitName(name), factor: toFactor(weight) })), {
    least: FLOOR,
    most: CEILING,
  });
}

/** The key ends at the first colon; the rest is the value. */
function splitName(name: string): { key: string; value: string } {
  const colon = name.indexOf(':');
  return { key: name.slice(0, colon), value: composed(name.slice(colon + 1)) };
}

function toFactor(weight: number): number {
  return clamp(weight < 0 ? 1 / -weight : weight);
}

function clamp(factor: number): number {
  return Math.min(CEILING, Math.max(FLOOR, factor));
}
