import type { Operations } from '../../../generated/docs/operations.ts';
import { ServiceError } from '../../errors/index.ts';
import { unixSeconds } from '../../lib/clock.ts';
import type { Handlers, InputOf } from '../../operations/index.ts';
import type { Columns, ValueCount } from '../../search/columns/index.ts';
import { selectDocuments, type ColumnsView, type SelectedDocuments } from '../columns/index.ts';
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
    const selected = await selectDocuments(columns, collection, { filter, now: unixSeconds(clock), needs: { facets: facets.map(({ field }) => field) } });
    const counts = count(selected, input);
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

/** Everything at once, so that it is of one moment; a collection without documents has nothing. */
function count(selected: SelectedDocuments | undefined, { facets = [], histograms = [], maxFacetSize: limit }: Input): Counts {
  const { columns, documents } = selected ?? {};
  return {
    total: columns?.count(documents) ?? 0,
    facets: facets.map(({ field, orderBy = 'count' }) => [field, columns?.facet(documents, { field, orderBy, limit }) ?? []] as const),
    days: histograms.map(({ field }) => [field, columns?.days(documents, field) ?? []] as const),
  };
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
