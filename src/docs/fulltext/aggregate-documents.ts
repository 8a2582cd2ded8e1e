import type { Operations } from '../../../generated/docs/operations.ts';
import { ServiceError } from '../../errors/index.ts';
import { unixSeconds } from '../../lib/clock.ts';
import type { Handlers, InputOf } from '../../operations/index.ts';
import type { DocsEnvironment } from '../environment.ts';
import { countsQuery, type Counts, type CountRow, type TimeField } from './aggregate-query.ts';
import type { Filter } from '../../search/filter/index.ts';
import { periodOf, type Interval, type Period } from './calendar.ts';
import { checkFilter, matchesNothing, passingDocuments, readFilter, type Meta } from '../documents/index.ts';
import { fitFacets } from './search/fit-facets.ts';
import { selectDocuments } from './selection.ts';

type AggregateHandler = Required<Pick<Handlers<Operations>, 'aggregateDocuments'>>['aggregateDocuments'];
type Input = InputOf<Operations, 'aggregateDocuments'>;
type Environment = Pick<DocsEnvironment, 'sql' | 'clock'>;

/** The counts of fields, by kind. */
type Rows = ReadonlyMap<CountRow['kind'], readonly CountRow[]>;

/** `POST /v1/aggregate`: counts by metadata and time (contract section 4, decisions section 4.5), all of one moment. */
export function aggregateDocuments(environment: Environment): AggregateHandler {
  return async (input, { budget }) => {
    const start = performance.now();
    const { collection, filterMeta = {}, facets = [], histograms = [] } = input;
    checkFilter(filterMeta);
    const filter = readFilter(input);
    requireDistinct('facets', facets);
    requireDistinct('histograms', histograms);
    const rows: Rows = Map.groupBy(await count(environment, collection, { filterMeta, filter }, countsOf(input)), ({ kind }) => kind);
    const [values, days] = [byField(rows.get('facet')), byField(rows.get('time'))];
    const { facets: fitted, isTruncated } = fitFacets(Object.fromEntries(facets.map(({ field }) => [field, values(field).map(({ value, n }) => ({ value, count: n }))])), budget);
    return {
      collection,
      totalDocs: rows.get('total')?.[0]?.n ?? 0,
      facets: fitted,
      ...(isTruncated && { facetsTruncated: true }),
      histograms: Object.fromEntries(histograms.map(({ field, interval = 'month' }) => [field, toBuckets(days(field), interval)])),
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

function countsOf({ facets = [], histograms = [], maxFacetSize }: Input): Counts {
  return {
    facets: facets.map(({ field, orderBy = 'count' }) => ({ field, orderBy })),
    times: histograms.map(({ field }): TimeField => field),
    limit: maxFacetSize,
  };
}

async function count({ sql, clock }: Environment, name: string, { filterMeta, filter }: { readonly filterMeta: Meta; readonly filter: Filter | undefined }, counts: Counts): Promise<CountRow[]> {
  const collection = await sql.get<{ id: number; docs: number }>('SELECT id, docs FROM collections WHERE name = ?', [name.toLowerCase()]);
  if (collection === undefined || matchesNothing(filterMeta)) return [];
  const passing = filter && await passingDocuments(sql, collection, filter);
  const query = countsQuery(collection.id, selectDocuments(collection.id, filterMeta, unixSeconds(clock), passing), counts);
  return sql.background.all<CountRow>(query.sql, query.params);
}

function byField(rows: readonly CountRow[] = []): (field: string) => readonly CountRow[] {
  const fields = Map.groupBy(rows, ({ field }) => field);
  return (field) => fields.get(field) ?? [];
}

/** Adds up the days of each period; days are ascending, so periods come in order. */
function toBuckets(days: readonly CountRow[], interval: Interval): (Period & { count: number })[] {
  const buckets = new Map<string, Period & { count: number }>();
  for (const { value, n } of days) {
    const period = periodOf(Number(value), interval);
    const bucket = buckets.get(period.key) ?? { ...period, count: 0 };
    bucket.count += n;
    buckets.set(period.key, bucket);
  }
  return [...buckets.values()];
}
