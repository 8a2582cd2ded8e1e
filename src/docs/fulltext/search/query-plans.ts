import { ReturningLru } from '../../../lib/returning-lru.ts';
import { planQuery, type PlanOptions, type QueryPlan } from './query-plan.ts';

/** Maximum number of remembered plans, of those that were used once, and of characters of their queries: some megabytes in total. */
const MAX_REMEMBERED = 512;
const MAX_ONCE = 64;
const MAX_LENGTH = 512;

interface Cached {
  readonly plan: QueryPlan;
  readonly options: PlanOptions;
}

/**
 * Plans queries, and remembers the plans: the same queries are repeated, and planning one takes as long as scoring its words. A plan is
 * reused only with the same stop-word and synonym objects that it was made with, so a change of those needs no invalidation.
 */
export class QueryPlans {
  readonly #plans = new ReturningLru<string, Cached>(MAX_ONCE, MAX_REMEMBERED);

  /** Throws as `planQuery` does. */
  plan(query: string, options: PlanOptions): QueryPlan {
    if (query.length > MAX_LENGTH) return planQuery(query, options);
    const name = nameOf(query, options);
    const known = this.#plans.get(name);
    if (known !== undefined && hasSameWords(known.options, options)) return known.plan;
    const plan = planQuery(query, options);
    this.#plans.set(name, { plan, options });
    return plan;
  }
}

/** Everything that determines a plan, except the lists of words. The query comes last, because it may hold any character. */
function nameOf(query: string, { mode, distance, fuzzy, prefix = 'none', matching = 'any', stemming, withoutCode = false, languages }: PlanOptions): string {
  return `${languages.map(({ lang, classes }) => `${lang}:${classes}`).join()} ${mode} ${distance} ${fuzzy} ${prefix} ${matching} ${stemming} ${withoutCode} ${query}`;
}

function hasSameWords(one: PlanOptions, other: PlanOptions): boolean {
  return one.synonymsOf === other.synonymsOf && one.languages.every(({ stopWords }, i) => stopWords === other.languages[i]!.stopWords);
}
