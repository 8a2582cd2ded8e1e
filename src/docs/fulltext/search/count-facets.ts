import type { ColumnsView } from '../../columns/index.ts';
import { Pace } from '../../documents/index.ts';
import type { OrdSet } from '../view/ord-set.ts';

export interface FacetCount {
  readonly value: string;
  readonly count: number;
}

export interface FacetRequest {
  readonly fields: readonly string[];
  /** Values of each facet at most; 0 for all. */
  readonly max: number;
}

/**
 * How many of the documents have each value of the fields, by count descending, then by value; an empty
 * list for a key that none has (decision D-90). A document counts once for a value, however often it has it.
 */
export async function countFacets(view: Pick<ColumnsView, 'indexOf'>, collection: string, documents: OrdSet, { fields, max }: FacetRequest): Promise<Record<string, FacetCount[]>> {
  const pace = new Pace();
  const facets = new Map<string, FacetCount[]>();
  for (const field of new Set(fields)) {
    while (view.indexOf(collection)?.columns.prepare({ facets: [field] }) === false) await pace.rest();
    facets.set(field, view.indexOf(collection)?.columns.facet(documents, { field, orderBy: 'count', limit: max }) ?? []);
    await pace.rest();
  }
  return Object.fromEntries(facets);
}
