import { randomUUID } from 'node:crypto';
import type { OrdSet } from '../../lib/ord-set.ts';
import { type PackedSet, packSet, unpackSet } from '../parts/index.ts';
import type { Columns, Needs, Tally } from './contract.ts';
import type { ColumnQuestions, CountedField, HashCounts } from './questions.ts';
import { whenPrepared } from './when-prepared.ts';

/** The name of each instance in revisions. */
const instances = new WeakMap<Columns, string>();

/**
 * Answers a stand-in in another process (`RemoteColumns`). What needs preparation is prepared in steps before. Throws a
 * RangeError for a method that there is not, and what the columns throw.
 */
export function answerColumns(columns: Columns, method: string, args: readonly unknown[]): unknown {
  if (!Object.hasOwn(ANSWERS, method)) throw new RangeError(`columns answer no question ${JSON.stringify(method)}`);
  const answer = ANSWERS[method as keyof ColumnQuestions] as (columns: Columns, ...args: readonly unknown[]) => unknown;
  return answer(columns, ...args);
}

type Answer<Question> = Question extends (...args: infer Args) => infer T
  ? (columns: Columns, ...args: Args) => T | Promise<T>
  : never;

const ANSWERS: { readonly [Method in keyof ColumnQuestions]: Answer<ColumnQuestions[Method]> } = {
  summary(columns, parts) {
    columns.share(parts);
    return { revision: revisionOf(columns), documents: columns.count(undefined) };
  },
  moment: (columns, now) => ({
    revision: revisionOf(columns, now),
    hasExpired: columns.select({ now }) !== undefined,
  }),
  stats: (columns) => ({ stats: columns.stats(), keys: columns.keys() }),
  select: (columns, selecting) => prepared(columns, selecting, () => packed(columns.select(selecting))),
  hasEach: (columns, ords) => columns.hasEach(ords),
  count: (columns, set) => columns.count(unpackSet(set)),
  best: (columns, { orderBy, limit, sums, ...field }) =>
    counted(columns, field, (tally) => ({
      values: tally.best(orderBy, limit, sums && replaced(tally, sums)),
      size: tally.size,
    })),
  countsOf: (columns, field, values) => counted(columns, field, (tally) => tally.countsOf(values)),
  hashes: (columns, field) => counted(columns, field, (tally) => ({ hashes: tally.hashes(), counts: tally.counts })),
  days: (columns, set, field) => columns.days(unpacked(set), field),
  sorted: (columns, set, sorting) =>
    prepared(columns, { keys: sorting.keys }, () => columns.sort(unpacked(set), sorting)),
  documentsWith: (columns, pairs) => columns.documentsWith(pairs).map(packed),
};

function revisionOf(columns: Columns, now?: number): string {
  let instance = instances.get(columns);
  if (instance === undefined) instances.set(columns, instance = randomUUID());
  return `${instance}:${columns.revision(now)}`;
}

async function prepared<T>(columns: Columns, needs: Needs, read: () => T): Promise<T> {
  const present = {
    columns,
    get version() {
      return columns.revision();
    },
  };
  return (await whenPrepared(() => present, needs, read)) as T;
}

function counted<T>(columns: Columns, { set, ...facet }: CountedField, read: (tally: Tally) => T): Promise<T> {
  return prepared(columns, { facets: [facet.field] }, () => read(columns.tally(unpacked(set), facet)));
}

/** The counts of a tally, with others for some hashes. */
function replaced(tally: Tally, { hashes, counts }: HashCounts): Uint32Array {
  const sums = new Map(Array.from(hashes, (hash, i) => [hash, counts[i]!]));
  const own = tally.counts;
  return tally.hashes().map((hash, i) => sums.get(hash) ?? own[i]!);
}

function packed(set: OrdSet | undefined): PackedSet | undefined {
  return set && packSet(set);
}

function unpacked(set: PackedSet | undefined): OrdSet | undefined {
  return set && unpackSet(set);
}
