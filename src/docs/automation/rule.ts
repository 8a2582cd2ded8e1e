import type { Operations } from '../../../generated/docs/operations.ts';
import type { InputOf } from '../../operations/index.ts';
import { type KeyRing, openSecret, type Queries, type Row, sealSecret, SECRETS,
  type Transaction } from '../../storage/index.ts';

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

interface RuleRow extends Row {
  readonly id: string;
  readonly body: string;
  readonly secret: string;
  readonly since: number;
  readonly last_run: number;
  readonly created_at: number;
  readonly updated_at: number;
}

const COLUMNS = 'id, body, secret, since, last_run, created_at, updated_at';

/** All rules, oldest first. Throws `internal` for a credential whose key is not configured. */
export async function readRules(queries: Queries, keys: KeyRing | undefined): Promise<Rule[]> {
  return (await queries.all<RuleRow>(`SELECT ${COLUMNS} FROM automation_rules ORDER BY seq`)).map((row) => ({
    id: row.id,
    body: JSON.parse(openSecret(keys, SECRETS.rule, row.id, row.body)) as RuleBody,
    secret: openSecret(keys, SECRETS.ruleSecret, row.id, row.secret),
    since: row.since,
    lastRun: row.last_run,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  }));
}

export async function countRules(queries: Queries): Promise<number> {
  return (await queries.get<{ n: number }>('SELECT count(*) AS n FROM automation_rules'))!.n;
}

/** Whether there is a trigger, including those of other transactions in the same group commit. */
export async function hasTrigger(queries: Queries): Promise<boolean> {
  return (await queries.get("SELECT 1 AS one FROM automation_rules WHERE type = 'trigger' LIMIT 1")) !== undefined;
}

/** Stores a rule under its id, replacing an existing one; `since`, `lastRun` and `createdAt` stay. */
export async function writeRule(tx: Transaction, rule: Rule, keys: KeyRing | undefined): Promise<void> {
  const { id, body, secret, since, lastRun, createdAt, updatedAt } = rule;
  await tx.run(`INSERT INTO automation_rules(type, ${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT(id) DO UPDATE SET type = excluded.type, body = excluded.body, secret = excluded.secret, updated_at = excluded.updated_at`,
    [body.type, id, sealSecret(keys, SECRETS.rule, id, JSON.stringify(body)),
      sealSecret(keys, SECRETS.ruleSecret, id, secret), since, lastRun, createdAt, updatedAt]);
}

/** Stores when a cron ran. */
export async function writeLastRun(tx: Transaction, id: string, lastRun: number): Promise<void> {
  await tx.run('UPDATE automation_rules SET last_run = ? WHERE id = ?', [lastRun, id]);
}

export async function removeRule(tx: Transaction, id: string): Promise<void> {
  await tx.run('DELETE FROM automation_rules WHERE id = ?', [id]);
}
