import type { Operations } from '../../../generated/docs/operations.ts';
import type { InputOf } from '../../operations/index.ts';

/** A rule as the client sent it, with defaults, without its secret. */
export type RuleBody = Omit<InputOf<Operations, 'createAutomationRule'>, 'secret'>;

/** A rule as it is stored. Times are in Unix seconds. */
export interface Rule {
  readonly id: string;
  readonly body: RuleBody;
  /** Empty means the secret of the server. */
  readonly secret: string;
  /** Number of its creation in the change feed: the rule applies to later writes. */
  readonly since: number;
  /** Time of the last run of a cron; 0 for none. */
  readonly lastRun: number;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** Finds a rule by its id. */
export type FindRule = (id: string) => Rule | undefined;

/** A document that satisfies a trigger or cron. */
export interface Match {
  readonly docId: string;
  /** Lowercased. */
  readonly collection: string;
  readonly key: string;
  readonly lang: string;
  readonly score: number;
  /** Present only if the rule has a sentiment condition. */
  readonly sentiment?: number;
}

/** The search and the conditions of a rule: a cron may use those of a trigger. */
export type Conditions = Pick<RuleBody,
  'collection' | 'searchType' | 'searchParams' | 'query' | 'threshold' | 'sentimentEnabled' | 'sentimentMin'
    | 'sentimentMax' | 'conditionLogic'>;

/**
 * The conditions of a rule; undefined for a cron whose trigger was deleted. Crons without a trigger have no sentiment
 * condition.
 */
export function conditionsOf({ body }: Rule, find: FindRule): Conditions | undefined {
  if (body.type === 'trigger') return body;
  if (!body.triggerId) return { ...body, sentimentEnabled: false };
  const trigger = find(body.triggerId)?.body;
  return trigger?.type === 'trigger' ? trigger : undefined;
}

/** Whether there is a query. */
export function hasQuery({ query }: Pick<Conditions, 'query'>): boolean {
  return query.trim() !== '';
}

/** Whether the search compares vectors of the document and the query. */
export function isByVector(conditions: Pick<Conditions, 'query' | 'searchType'>): boolean {
  return conditions.searchType !== 'fts' && hasQuery(conditions);
}

/** Whether documents that the search does not find may satisfy the rule by their sentiment. */
export function isSentimentEnough({ query, sentimentEnabled, conditionLogic }: Conditions): boolean {
  return sentimentEnabled && (!hasQuery({ query }) || conditionLogic === 'or');
}

/** Tolerance, because scores from 0 to 1 have single precision. */
const PRECISION = 1e-6;

/**
 * The threshold on the scale of the search: a value above 1 is a percentage, except for full-text search (decisions,
 * section 2.3).
 */
export function leastScore({ searchType, threshold }: Pick<Conditions, 'searchType' | 'threshold'>): number {
  if (searchType === 'fts') return threshold;
  return (threshold > 1 ? threshold / 100 : threshold) - PRECISION;
}

/** Whether a sentiment lies in the range of a rule. */
export function isInRange({ sentimentMin, sentimentMax }: Pick<Conditions, 'sentimentMin' | 'sentimentMax'>,
  sentiment: number): boolean
{
  return sentiment >= sentimentMin && sentiment <= sentimentMax;
}

/**
 * Score and sentiment of a document that satisfies the conditions; undefined for one that does not. `found` is its
 * score in the search, undefined if the search does not find it; `sentimentOf` is called only for rules with a
 * sentiment condition.
 */
export function satisfied(conditions: Conditions, found: number | undefined, sentimentOf: () => number): Pick<Match,
  'score' | 'sentiment'> | undefined
{
  const isFound = found !== undefined && found >= leastScore(conditions);
  const score = found ?? 0;
  if (!conditions.sentimentEnabled) return isFound ? { score } : undefined;
  if (!isFound && !isSentimentEnough(conditions)) return undefined;
  const sentiment = sentimentOf();
  const isOk = isInRange(conditions, sentiment) || (isFound && isSentimentEnough(conditions));
  return isOk ? { score, sentiment } : undefined;
}
