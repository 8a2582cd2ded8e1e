import type { Queries, Row } from '../../../storage/index.ts';
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

/** So few matches are looked up one by one; for more, the index of the field is read from end to end. */
const FEW = 500;

interface DocumentRow extends Row {
  readonly ord: number;
  readonly lang: string;
  /** Null where it was not read. */
  readonly meta: string | null;
}

export interface Counted {
  readonly facets: Record<string, FacetCount[]>;
  /** Documents that were counted: of a few, those that are still there. */
  readonly documents: number;
}

/**
 * How many of the documents have each value of the fields, by count descending, then by value; an empty
 * list for a key that none has (decision D-90). A document counts once for a value, however often it has it.
 * Those whose rows were read already count as they were then.
 */
export async function countFacets(queries: Queries, cid: number, documents: OrdSet, { fields, max }: FacetRequest, read: readonly DocumentRow[]): Promise<Counted> {
  const names = [...new Set(fields)];
  const few = documents.size <= FEW ? await rowsOf(queries, documents, read) : undefined;
  const counts = few === undefined ? await countByField(queries, cid, documents, names) : countByDocument(few, names);
  return {
    facets: Object.fromEntries(names.map((name) => [name, ranked(counts.get(name)!, max)])),
    documents: few?.length ?? documents.size,
  };
}

type Counts = ReadonlyMap<string, Map<string, number>>;

/** Rows of all that are still there. */
async function rowsOf(queries: Queries, documents: OrdSet, read: readonly DocumentRow[]): Promise<DocumentRow[]> {
  const known = read.filter(({ ord, meta }) => meta !== null && documents.has(ord));
  const seen = new Set(known.map(({ ord }) => ord));
  const ords = [...documents].filter((ord) => !seen.has(ord));
  if (ords.length === 0) return known;
  return [...known, ...await queries.all<DocumentRow>(`SELECT ord, lang, meta FROM documents WHERE ord IN (${ords.map(() => '?').join(', ')})`, ords)];
}

function countByDocument(rows: readonly DocumentRow[], names: readonly string[]): Counts {
  const counts: Counts = new Map(names.map((name) => [name, new Map<string, number>()]));
  for (const { lang, meta } of rows) {
    const values = JSON.parse(meta!) as Record<string, string[]>;
    for (const name of names) {
      const own = name === 'lang' ? [lang] : Object.hasOwn(values, name) ? values[name]! : [];
      for (const value of new Set(own)) increase(counts.get(name)!, value);
    }
  }
  return counts;
}

async function countByField(queries: Queries, cid: number, documents: OrdSet, names: readonly string[]): Promise<Counts> {
  const counts: Counts = new Map(names.map((name) => [name, new Map<string, number>()]));
  const pace = new Pace();
  for (const name of names) {
    const rows = name === 'lang'
      ? await queries.all<{ v: string; ord: number }>('SELECT lang AS v, ord FROM documents WHERE cid = ?', [cid])
      : await queries.all<{ v: string; ord: number }>('SELECT v, ord FROM doc_meta WHERE cid = ? AND k = ?', [cid, name]);
    for (const { v, ord } of rows) if (documents.has(ord)) increase(counts.get(name)!, v);
    await pace.rest();
  }
  return counts;
}

function increase(counts: Map<string, number>, value: string): void {
  counts.set(value, (counts.get(value) ?? 0) + 1);
}

/** Values are compared by code point, as the database does for `/v1/aggregate`. */
function ranked(counts: ReadonlyMap<string, number>, max: number): FacetCount[] {
  const sorted = [...counts].map(([value, count]) => ({ value, count })).sort((a, b) => b.count - a.count || Buffer.compare(Buffer.from(a.value), Buffer.from(b.value)));
  return max === 0 ? sorted : sorted.slice(0, max);
}
