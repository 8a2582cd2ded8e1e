import { ReturningLru } from '../../../lib/returning-lru.ts';
import { type PlanOptions, planQuery, type QueryPlan } from './query-plan.ts';

/**
 * Approximate maximum bytes of remembered plans, with the terms of documents that are remembered for each
 * (`matched-terms.ts`).
 */
const MOST_BYTES = 24 * 2 ** 20;
/** Maximum number of remembered plans that were used once, and of the names of such plans that were forgotten. */
const MAX_ONCE = 64;
const MAX_NAMES = 2048;
/** Maximum characters of the query of a remembered plan. */
const MAX_LENGTH = 512;

/**
 * Approximate heap of a plan: of a reading, of each leaf that may match, and of the rest, most of it the terms of
 * documents, which are estimated.
 */
const BYTES_PER_READING = 1200;
const BYTES_PER_LEAF = 350;
const OVERHEAD = 10_000;

interface Cached {
  readonly plan: QueryPlan;
  readonly options: PlanOptions;
  readonly bytes: number;
}

/**
 * Plans queries, and remembers the plans: the same queries are repeated, and planning one takes as long as scoring its
 * words. A plan is reused only with the same stop-word and synonym objects that it was made with, so a change of those
 * needs no invalidation.
 */
export class QueryPlans {
  readonly #plans = new ReturningLru<string, Cached>({
    recent: MAX_ONCE,
    keys: MAX_NAMES,
    returned: MOST_BYTES,
    sizeOf: ({ bytes }) => bytes,
  });

  /** Of the plans that were used more than once. */
  get bytes(): number {
    return this.#plans.total;
  }

  /** Throws as `planQuery` does. */
  plan(query: string, options: PlanOptions): QueryPlan {
    if (query.length > MAX_LENGTH) return planQuery(query, options);
    const name = nameOf(query, options);
    const known = this.#plans.get(name);
    if (known !== undefined && hasSameWords(known.options, options)) return known.plan;
    const plan = planQuery(query, options);
    this.#plans.set(name, { plan, options, bytes: bytesOf(plan) });
    return plan;
  }
}

function bytesOf({ readings }: QueryPlan): number {
  return readings.reduce((sum, { wanted }) => sum + BYTES_PER_READING + wanted.length * BYTES_PER_LEAF, OVERHEAD);
}

/**
 * Everything that determines a plan, except the lists of words. The query comes last, because it may hold any
 * character.
 */
function nameOf(query: string,
  { mode, distance, fuzzy, prefix = 'none', matching = 'any', stemming, withoutCode = false, languages }:
    PlanOptions): string
{
  return `${
    languages.map(({ lang, classes }) => `${lang}:${classes}`).join()
  } ${mode} ${distance} ${fuzzy} ${prefix} ${matching} ${stemming} ${withoutCode} ${query}`;
}

function hasSameWords(one: PlanOptions, other: PlanOptions): boolean {
  return one.synonymsOf === other.synonymsOf &&
    one.languages.every(({ stopWords }, i) => stopWords === other.languages[i]!.stopWords);
}
