import type { Operations } from '../../../generated/docs/operations.ts';
import { ServiceError } from '../../errors/index.ts';
import { unixSeconds } from '../../lib/clock.ts';
import { Pace } from '../../lib/pace.ts';
import type { Handlers, InputOf, OutputOf } from '../../operations/index.ts';
import type { DayCount, ValueCount } from '../../search/columns/index.ts';
import type { Filter } from '../../search/filter/index.ts';
import { decodeGeohash } from '../../search/geo/index.ts';
import { gatheredEach } from '../../search/parts/index.ts';
import { type ColumnsView, selectDocuments, type SelectedDocuments } from '../columns/index.ts';
import type { DocsEnvironment } from '../environment.ts';
import type { GeoView } from '../geo/index.ts';
import { circleOf, expressionOf, fitFacets, withinCircle } from '../search/index.ts';

type AggregateHandler = Required<Pick<Handlers<Operations>, 'aggregateDocuments'>>['aggregateDocuments'];
type Input = InputOf<Operations, 'aggregateDocuments'>;

export interface AggregateDeps extends Pick<DocsEnvironment, 'clock'> {
  readonly columns: Pick<ColumnsView, 'indexOf'>;
  readonly geo: Pick<GeoView, 'indexOf'>;
}

/** Number of documents per day, ascending by day. */
type Days = DayCount[];

interface Counts {
  readonly total: number;
  /** Value counts by field. */
  readonly facets: readonly (readonly [field: string, values: ValueCount[]])[];
  readonly days: readonly (readonly [field: string, days: Days])[];
  /** Undefined when they are not requested. */
  readonly cells: Cells | undefined;
}

type Cells = NonNullable<OutputOf<Operations, 'aggregateDocuments'>['geohashes']>;

/**
 * `POST /v1/aggregate`: counts by metadata, time and place (contract section 4, decisions section 4.5), all from one
 * state.
 */
export function aggregateDocuments({ clock, ...views }: AggregateDeps): AggregateHandler {
  return async (input, { budget }) => {
    const start = performance.now();
    const { collection, facets = [], histograms = [] } = input;
    const filter = expressionOf(input);
    requireDistinct('facets', facets);
    requireDistinct('histograms', histograms);
    const counts = await countOf(views, { filter, now: unixSeconds(clock) }, input);
    const { facets: fitted, isTruncated } = fitFacets(Object.fromEntries(counts.facets), budget);
    const intervals = new Map(histograms.map(({ field, interval = 'month' }) => [field as string, interval]));
    return {
      collection,
      totalDocs: counts.total,
      facets: fitted,
      ...(isTruncated && { facetsTruncated: true }),
      ...(counts.cells && { geohashes: budget.fit(counts.cells, ({ geohash }) => geohash.length) as Cells }),
      histograms: Object.fromEntries(
        counts.days.map(([field, days]) => [field, toBuckets(days, intervals.get(field)!)]),
      ),
      durationMs: Math.round(performance.now() - start),
    };
  };
}

/** The answer has one list for each field, so it could not represent a second request for the same field. */
function requireDistinct(name: string, items: readonly { readonly field: string }[]): void {
  const fields = items.map(({ field }) => field);
  const repeated = fields.find((field, i) => fields.indexOf(field) < i);
  if (repeated !== undefined)
    throw new ServiceError('invalid_argument', `${name} must name each field once, got "${repeated}" twice`);
}

/**
 * Maximum number of tries for counts during which documents change. The last one counts metadata and times without a
 * pause; its places may be those of a moment before.
 */
const TRIES = 3;

/** Counts from one state. */
async function countOf(views: Omit<AggregateDeps, 'clock'>,
  request: { readonly filter: Filter | undefined; readonly now: number }, input: Input): Promise<Counts>
{
  const needs = { facets: (input.facets ?? []).map(({ field }) => field) };
  for (let tries = 1;; tries++) {
    const selected = await selectDocuments(views.columns, input.collection, { ...request, needs });
    const documents = selected && input.geo
      ? await withinCircle(views.geo, input.collection, circleOf(input.geo), selected.documents)
      : selected?.documents;
    const cells = await countCells(views.geo, selected && { documents }, input);
    const isLast = tries === TRIES;
    const counts = await count(
      selected && { columns: selected.columns, documents, isCurrent: () => isLast || selected.isCurrent() },
      input,
      isLast ? undefined : new Pace(),
    );
    if (counts !== undefined) return { ...counts, cells };
  }
}

/** Default length of geohashes in characters, and default number of cells. */
const DEFAULT_PRECISION = 5;
const DEFAULT_CELLS = 1000;

/**
 * The cells with the most documents first, then by geohash; undefined if they are not requested. Throws `IndexLoading`.
 */
async function countCells(view: AggregateDeps['geo'], selected: Pick<SelectedDocuments, 'documents'> | undefined,
  { collection, geohash }: Input): Promise<Cells | undefined>
{
  if (geohash === undefined) return undefined;
  const { precision = DEFAULT_PRECISION, size = DEFAULT_CELLS } = geohash;
  const best = (selected && await view.indexOf(collection)?.places.cells(precision, size, selected.documents)) ?? [];
  const cells: Cells = [];
  const pace = new Pace();
  for (const { geohash: hash, count } of best) {
    cells.push({ geohash: hash, ...decodeGeohash(hash)!, count });
    if (pace.isDue) await pace.rest();
  }
  return cells;
}

/** Undefined when a document has changed before or between two fields. A collection without documents has no values. */
async function count(selected: SelectedDocuments | undefined, input: Input,
  pace: Pace | undefined): Promise<Omit<Counts, 'cells'> | undefined>
{
  const { facets = [], histograms = [], maxFacetSize: limit } = input;
  if (selected?.isCurrent() === false) return undefined;
  const { columns, documents } = selected ?? {};
  let total = 0;
  const days: (readonly [string, DayCount[]])[] = [];
  const values: (readonly [string, ValueCount[]])[] = [];
  let isOld = false;
  const reads = [
    () => {
      total = columns?.count(documents) ?? 0;
    },
    ...histograms.map(({ field }, i) => () => {
      days[i] = [field, columns?.days(documents, field) ?? []];
    }),
    ...facets.map(({ field, orderBy = 'count' }, i) => () => {
      values[i] = [field, columns?.facet(documents, { field, orderBy, limit }) ?? []];
    }),
  ];
  await gatheredEach(reads, (read) => {
    isOld ||= selected?.isCurrent() === false;
    if (!isOld) read();
  }, () => pace?.rest());
  return isOld ? undefined : { total, facets: values, days };
}

/** Adds up the days of each period; days are ascending, so periods are in order. */
function toBuckets(days: Days, interval: Interval): (Period & { count: number })[] {
  const buckets = new Map<string, Period & { count: number }>();
  for (const { day, count } of days) {
    const period = periodOf(day, interval);
    const bucket = buckets.get(period.key) ?? { ...period, count: 0 };
    bucket.count += count;
    buckets.set(period.key, bucket);
  }
  return [...buckets.values()];
}

export const INTERVALS = ['day', 'week', 'month', 'year'] as const;
type Interval = (typeof INTERVALS)[number];

/** A period of the calendar in UTC. */
interface Period {
  /** `2026-01-31`, `2026-W05`, `2026-01` or `2026`. */
  readonly key: string;
  /** Its first second, in Unix time. */
  readonly from: number;
  /** The second after its last one. */
  readonly to: number;
}

export const DAY_SECONDS = 86_400;

/** The period that contains a day; days count from 1970-01-01 in UTC (decisions section 4.5). */
export function periodOf(day: number, interval: Interval): Period {
  switch (interval) {
    case 'day':
      return period(isoDate(day), day, day + 1);
    case 'week':
      return weekOf(day);
    case 'month':
      return monthOf(day);
    case 'year':
      return yearOf(day);
  }
}

/** Weeks start on Monday, and belong to the year of their Thursday (ISO 8601). */
function weekOf(day: number): Period {
  const monday = day - weekday(day);
  const { year } = dateOf(monday + 3);
  const week = Math.floor((monday + 3 - dayOf(year, 0)) / 7) + 1;
  return period(`${pad(year, 4)}-W${pad(week, 2)}`, monday, monday + 7);
}

function monthOf(day: number): Period {
  const { year, month } = dateOf(day);
  return period(isoDate(day).slice(0, -'-dd'.length), dayOf(year, month), dayOf(year, month + 1));
}

function yearOf(day: number): Period {
  const { year } = dateOf(day);
  return period(pad(year, 4), dayOf(year, 0), dayOf(year + 1, 0));
}

/** Monday is 0; 1970-01-01 was a Thursday. */
function weekday(day: number): number {
  return (((day + 3) % 7) + 7) % 7;
}

function period(key: string, from: number, to: number): Period {
  return { key, from: from * DAY_SECONDS, to: to * DAY_SECONDS };
}

function dateOf(day: number): { year: number; month: number } {
  const date = new Date(day * DAY_SECONDS * 1000);
  return { year: date.getUTCFullYear(), month: date.getUTCMonth() };
}

/** The first day of a month; months count from 0, and 12 is allowed. */
function dayOf(year: number, month: number): number {
  return Date.UTC(year, month) / (DAY_SECONDS * 1000);
}

function isoDate(day: number): string {
  const date = new Date(day * DAY_SECONDS * 1000);
  return `${pad(date.getUTCFullYear(), 4)}-${pad(date.getUTCMonth() + 1, 2)}-${pad(date.getUTCDate(), 2)}`;
}

function pad(value: number, length: number): string {
  return String(value).padStart(length, '0');
}
