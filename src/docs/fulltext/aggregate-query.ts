import type { Row, SqlValue } from '../../storage/index.ts';
import { DAY_SECONDS } from './calendar.ts';
import type { Fragment } from '../documents/index.ts';
import type { Selection } from './selection.ts';

/** A field whose values to count: a metadata key, or `lang`. */
export interface Facet {
  readonly field: string;
  readonly orderBy: 'count' | 'value';
}

export type TimeField = 'addedAt' | 'updatedAt';

/** What to count beside all documents. */
export interface Counts {
  readonly facets: readonly Facet[];
  readonly times: readonly TimeField[];
  /** Values of each facet at most. */
  readonly limit: number;
}

/** One row of the answer. */
export interface CountRow extends Row {
  readonly kind: 'total' | 'facet' | 'time';
  /** Empty for the total. */
  readonly field: string;
  /** A value of the facet, or a day since 1970-01-01 as text; empty for the total. */
  readonly value: string;
  readonly n: number;
}

/**
 * One statement for all counts, so that they are of one moment, however much is written meanwhile. The
 * rows of a field follow each other: values in the order of the facet, days ascending.
 */
export function countsQuery(cid: number, selection: Selection, { facets, times, limit }: Counts): Fragment {
  const scope: Scope = { cid, isPicked: `cid = ? AND ord ${selection.operator} (SELECT ord FROM picked)` };
  const ofMeta = facets.filter(({ field }) => field !== 'lang');
  const parts = [
    countTotal(scope),
    ...facets.filter(({ field }) => field === 'lang').map((facet) => countLanguages(scope, facet, limit)),
    ...(['count', 'value'] as const).flatMap((order) => countMeta(scope, ofMeta.filter(({ orderBy }) => orderBy === order), order, limit)),
    ...times.map((field) => countDays(scope, field)),
  ];
  return {
    sql: `WITH picked(ord) AS MATERIALIZED (${selection.picked.sql})
      SELECT kind, field, value, n FROM (${parts.map(({ sql }) => sql).join(' UNION ALL ')}) counts ORDER BY kind, field, place`,
    params: [...selection.picked.params, ...parts.flatMap(({ params }) => params)],
  };
}

/** The documents to count, in each part of the statement. */
interface Scope {
  readonly cid: number;
  /** A condition whose only parameter is the collection. */
  readonly isPicked: string;
}

function countTotal({ cid, isPicked }: Scope): Fragment {
  return { sql: `SELECT 'total' AS kind, '' AS field, '' AS value, count(*) AS n, 0 AS place FROM documents WHERE ${isPicked}`, params: [cid] };
}

/** Equal counts are in the order of their values, as in the facets of a search. */
const ORDERS = { count: (value: string) => `count(*) DESC, ${value}`, value: (value: string) => value } as const;

/** All metadata facets of one order by one scan of the index; nothing when there are none. */
function countMeta({ cid, isPicked }: Scope, facets: readonly Facet[], order: Facet['orderBy'], limit: number): Fragment[] {
  if (facets.length === 0) return [];
  const counted = `
    SELECT k, v, count(*) AS n, row_number() OVER (PARTITION BY k ORDER BY ${ORDERS[order]('v')}) AS place
    FROM doc_meta WHERE ${isPicked} AND k IN (${facets.map(() => '?').join(', ')}) GROUP BY k, v`;
  return [facetRows('k', 'v', counted, [cid, ...facets.map(({ field }) => field)], limit)];
}

function countLanguages({ cid, isPicked }: Scope, { orderBy }: Facet, limit: number): Fragment {
  const counted = `
    SELECT lang, count(*) AS n, row_number() OVER (ORDER BY ${ORDERS[orderBy]('lang')}) AS place
    FROM documents WHERE ${isPicked} GROUP BY lang`;
  return facetRows("'lang'", 'lang', counted, [cid], limit);
}

function facetRows(field: string, value: string, counted: string, params: readonly SqlValue[], limit: number): Fragment {
  return { sql: `SELECT 'facet', ${field}, ${value}, n, place FROM (${counted}) counted WHERE place <= ?`, params: [...params, limit] };
}

const COLUMNS = { addedAt: 'added_at', updatedAt: 'updated_at' } as const;

/** Days and not seconds, so that few rows leave the database; every period is a run of whole days. */
function countDays({ cid, isPicked }: Scope, field: TimeField): Fragment {
  const day = `${COLUMNS[field]} / ${DAY_SECONDS}`;
  return { sql: `SELECT 'time', '${field}', CAST(${day} AS TEXT), count(*), ${day} FROM documents WHERE ${isPicked} GROUP BY ${day}`, params: [cid] };
}
