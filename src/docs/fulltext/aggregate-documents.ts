import type { Operations } from '../../../generated/docs/operations.ts';
import { ServiceError } from '../../errors/index.ts';
import { unixSeconds } from '../../lib/clock.ts';
import type { Handlers, InputOf } from '../../operations/index.ts';
import type { Columns, ValueCount } from '../../search/columns/index.ts';
import type { Filter } from '../../search/filter/index.ts';
import { selectDocuments, type ColumnsView, type SelectedDocuments } from '../columns/index.ts';
import { Pace } from '../../lib/pace.ts';
import { expressionOf } from '../documents/index.ts';
import type { DocsEnvironment } from '../environment.ts';
import { periodOf, type Interval, type Period } from './calendar.ts';
import { fitFacets } from './search/fit-facets.ts';

type AggregateHandler = Required<Pick<Handlers<Operations>, 'aggregateDocuments'>>['aggregateDocuments'];
type Input = InputOf<Operations, 'aggregateDocuments'>;

export interface AggregateDeps extends Pick<DocsEnvironment, 'clock'> {
  readonly columns: Pick<ColumnsView, 'indexOf'>;
}

/** Documents by day, ascending. */
type Days = ReturnType<Columns['days']>;

interface Counts {
  readonly total: number;
  /** By field. */
  readonly facets: readonly (readonly [field: string, values: ValueCount[]])[];
  readonly days: readonly (readonly [field: string, days: Days])[];
}

/** `POST /v1/aggregate`: counts by metadata and time (contract section 4, decisions section 4.5), all of one moment. */
export function aggregateDocuments({ clock, columns }: AggregateDeps): AggregateHandler {
  return async (input, { budget }) => {
    const start = performance.now();
    const { collection, facets = [], histograms = [] } = input;
    const filter = expressionOf(input);
    requireDistinct('facets', facets);
    requireDistinct('histograms', histograms);
    const counts = await countOf(columns, { filter, now: unixSeconds(clock) }, input);
    const { facets: fitted, isTruncated } = fitFacets(Object.fromEntries(counts.facets), budget);
    const intervals = new Map(histograms.map(({ field, interval = 'month' }) => [field as string, interval]));
    return {
      collection,
      totalDocs: counts.total,
      facets: fitted,
      ...(isTruncated && { facetsTruncated: true }),
      histograms: Object.fromEntries(counts.days.map(([field, days]) => [field, toBuckets(days, intervals.get(field)!)])),
      durationMs: Math.round(performance.now() - start),
    };
  };
}

/** The answer has one list for each field, so a second request for it could not be answered. */
function requireDistinct(name: string, items: readonly { readonly field: string }[]): void {
  const fields = items.map(({ field }) => field);
  const repeated = fields.find((field, i) => fields.indexOf(field) < i);
  if (repeated !== undefined) throw new ServiceError('invalid_argument', `${name} must name each field once, got "${repeated}" twice`);
}

/** How often counts that documents changed under are begun again; then everything is counted at once. */
const TRIES = 3;

/** Counts of one moment. */
async function countOf(view: AggregateDeps['columns'], request: { readonly filter: Filter | undefined; readonly now: number }, input: Input): Promise<Counts> {
  const needs = { facets: (input.facets ?? []).map(({ field }) => field) };
  for (let tries = 1; ; tries++) {
    const counts = await count(await selectDocuments(view, input.collection, { ...request, needs }), input, tries < TRIES ? new Pace() : undefined);
    if (counts !== undefined) return counts;
  }
}

/** Undefined when a document has changed between two fields. A collection without documents has nothing. */
async function count(selected: SelectedDocuments | undefined, { facets = [], histograms = [], maxFacetSize: limit }: Input, pace: Pace | undefined): Promise<Counts | undefined> {
  if (selected?.isCurrent() === false) return undefined;
  const { columns, documents } = selected ?? {};
  const total = columns?.count(documents) ?? 0;
  const days = histograms.map(({ field }) => [field, columns?.days(documents, field) ?? []] as const);
  const values: (readonly [string, ValueCount[]])[] = [];
  for (const { field, orderBy = 'count' } of facets) {
    if (selected?.isCurrent() === false) return undefined;
    values.push([field, columns?.facet(documents, { field, orderBy, limit }) ?? []]);
    if (pace !== undefined) await pace.rest();
  }
  return { total, facets: values, days };
}

/** Adds up the days of each period; days are ascending, so periods come in order. */
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
