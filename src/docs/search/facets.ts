import type { OrdSet } from '../../lib/ord-set.ts';
import { Pace } from '../../lib/pace.ts';
import { AnswerBudget } from '../../operations/index.ts';
import type { ReadableColumns } from '../../search/columns/index.ts';
import { compareTexts } from '../../search/filter/index.ts';
import { gatheredEach } from '../../search/parts/index.ts';
import { type ColumnsView, readyColumns } from '../columns/index.ts';

export interface FacetCount {
  readonly value: string;
  readonly count: number;
}

export interface FacetRequest {
  readonly fields: readonly string[];
  /** Maximum number of values of each facet; 0 for all. */
  readonly max: number;
  /** Whether the metadata of the results were not read. */
  readonly isMetaUnread?: boolean;
}

/** A result as its row was read. */
export interface CountedRow {
  readonly ord: number;
  readonly lang: string;
  /** Canonical JSON; null if it was not read. */
  readonly meta: string | null;
}

export interface Counted {
  readonly facets: Readonly<Record<string, readonly FacetCount[]>>;
  /** Documents that were counted: those that still exist, and the results. */
  readonly documents: number;
}

/** Maximum number of tries for counts during which documents change; the last try counts everything without a pause. */
const TRIES = 3;

/**
 * The number of documents with each value of the fields, by count descending, then by value; an empty list for a key
 * that no document has. A document counts once for a value, however often it has it. All counts are from one state,
 * except that deleted results still count as they were read; undefined if their metadata were not.
 */
export async function countFacets(view: Pick<ColumnsView, 'indexOf'>, collection: string, documents: OrdSet,
  { fields, max, isMetaUnread }: FacetRequest, results: readonly CountedRow[]): Promise<Counted | undefined>
{
  const names = [...new Set(fields)];
  for (let tries = 1;; tries++) {
    const ready = await readyColumns(view, collection, { facets: names });
    const rows = results.filter(({ ord }) => documents.has(ord));
    const isOld = (): boolean => tries < TRIES && ready?.isCurrent() === false;
    const pace = names.length > 1 && tries < TRIES ? new Pace() : undefined;
    const counts = await readCounts(ready?.columns, documents, { rows, names, max, isOld }, pace);
    if (counts === undefined) continue;
    const { gone, found, facets } = counts;
    if (isMetaUnread && gone.length > 0) return undefined;
    return {
      facets: Object.fromEntries(names.map((field) => [field, withRows(facets.get(field)!, gone, field, max)])),
      documents: found + gone.length,
    };
  }
}

interface Reading {
  /** The results among the documents. */
  readonly rows: readonly CountedRow[];
  readonly names: readonly string[];
  readonly max: number;
  /** Whether a document has changed since the columns were looked up. */
  isOld(): boolean;
}

/** All that is read of the columns, with one round if some are in other processes; undefined if they have changed. */
async function readCounts(columns: ReadableColumns | undefined, documents: OrdSet, { rows, names, max, isOld }: Reading,
  pace: Pace | undefined)
{
  let gone: readonly CountedRow[] = [];
  let found = 0;
  const facets = new Map<string, readonly FacetCount[]>();
  const reads = [
    () => {
      gone = goneOf(columns, rows);
    },
    () => {
      found = columns?.count(documents) ?? 0;
    },
    ...names.map((field) => () => {
      if (!isOld()) facets.set(field, countOf(columns, documents, field, max));
    }),
  ];
  await gatheredEach(reads, (read) => read(), () => pace?.rest());
  return facets.size === names.length ? { gone, found, facets } : undefined;
}

/** The values of documents that the columns do not have; almost always none. */
function goneOf(columns: ReadableColumns | undefined, rows: readonly CountedRow[]): readonly CountedRow[] {
  if (columns === undefined) return rows;
  const known = columns.hasEach(rows.map(({ ord }) => ord));
  return rows.filter((_, i) => !known[i]);
}

function countOf(columns: ReadableColumns | undefined, documents: OrdSet, field: string,
  limit: number): readonly FacetCount[]
{
  return columns?.facet(documents, { field, orderBy: 'count', limit }) ?? [];
}

/** Adds the values of further documents to the counts. */
function withRows(counts: readonly FacetCount[], rows: readonly CountedRow[], field: string,
  max: number): readonly FacetCount[]
{
  if (rows.length === 0) return counts;
  const sums = new Map(counts.map(({ value, count }) => [value, count]));
  for (const { lang, meta } of rows) {
    const values = JSON.parse(meta ?? '{}') as Record<string, string[]>;
    const own = field === 'lang' ? [lang] : Object.hasOwn(values, field) ? values[field]! : [];
    for (const value of new Set(own)) sums.set(value, (sums.get(value) ?? 0) + 1);
  }
  const sorted = [...sums].map(([value, count]) => ({ value, count })).sort((a, b) =>
    b.count - a.count || compareTexts(a.value, b.value)
  );
  return max === 0 ? sorted : sorted.slice(0, max);
}

/** Fraction of an answer that its facets may use; the rest is for the results. */
const SHARE = 0.25;

export interface FittedFacets {
  readonly facets: Record<string, FacetCount[]>;
  readonly isTruncated: boolean;
}

/** The first values of each facet, as many as fit in the answer; their size is added to it. */
export function fitFacets(facets: Readonly<Record<string, readonly FacetCount[]>>, budget: AnswerBudget): FittedFacets {
  const bytes = budget.left * SHARE;
  const room = new AnswerBudget(bytes);
  const names = Object.keys(facets);
  // One value of each field in turn, so that one long facet does not exclude the values of the others.
  const counts = new Map(names.map((name) => [name, 0]));
  const longest = Math.max(0, ...Object.values(facets).map(({ length }) => length));
  for (let i = 0; i < longest && !room.isSpent; i++) {
    for (const name of names) {
      const value = facets[name]![i];
      if (value !== undefined && room.take(Buffer.byteLength(value.value))) counts.set(name, i + 1);
    }
  }
  budget.spend(bytes - room.left);
  return {
    facets: Object.fromEntries(names.map((name) => [name, facets[name]!.slice(0, counts.get(name))])),
    isTruncated: room.isSpent,
  };
}

/** The fields of an answer with its facets; none if none were requested. */
export interface ShownFacets {
  readonly facets?: Record<string, FacetCount[]>;
  readonly facetsTruncated?: true;
}

/** The facets of an answer, as many of their values as fit in it; a field that was not counted has none. */
export function shownFacets(fields: readonly string[] | undefined, counts: Counted['facets'] = {},
  budget: AnswerBudget): ShownFacets
{
  if (fields === undefined) return {};
  const asked = fields.map((field) => [field, Object.hasOwn(counts, field) ? counts[field]! : []] as const);
  const { facets, isTruncated } = fitFacets(Object.fromEntries(asked), budget);
  return { facets, ...(isTruncated && { facetsTruncated: true }) };
}
