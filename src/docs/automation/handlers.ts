import { randomBytes } from 'node:crypto';
import type { Operations } from '../../../generated/docs/operations.ts';
import type { AutomationRule } from '../../../generated/docs/sdk/types.gen.ts';
import { ServiceError } from '../../errors/index.ts';
import { unixSeconds } from '../../lib/clock.ts';
import { badHeader, type Outbound } from '../../net/index.ts';
import type { AnswerBounds, Handlers, Standing } from '../../operations/index.ts';
import type { Transaction } from '../../storage/index.ts';
import { type DocsEnvironment, transactFor } from '../environment.ts';
import { checkSigningSecret, keepQuery, requireSecret, shownUrl } from '../secrets.ts';
import { removeLanes } from '../webhooks/index.ts';
import type { Crons } from './crons.ts';
import { readLogs } from './log-rows.ts';
import { withoutVariables } from './message.ts';
import { conditionsOf, countRules, type FindRule, type Match, removeRule, type Rule, type RuleBody,
  writeRule } from './rule.ts';
import { isSchedule } from './schedule.ts';
import { type RuleSearchDeps, wordsOf } from './search.ts';

export type AutomationHandlers = Required<
  Pick<Handlers<Operations>,
    'listAutomationRules' | 'createAutomationRule' | 'getAutomationRule' | 'updateAutomationRule'
      | 'deleteAutomationRule' | 'testAutomationRule' | 'listAutomationLogs'>
>;

/** What the parts of the area share. */
export interface AutomationDeps {
  readonly environment: DocsEnvironment;
  readonly outbound: Outbound;
  /** Rules by id, oldest first. */
  readonly book: Map<string, Rule>;
  readonly search: RuleSearchDeps;
  readonly crons: Crons;
  /**
   * Called within the transaction that stores or deletes (undefined) a rule, with its number in the change feed; no
   * later change is missed.
   */
  readonly storing: (tx: Transaction, rule: Rule | undefined, lsn: number) => Promise<void>;
  /** Applies a change of a rule. */
  readonly changed: (id: string) => Promise<void>;
  /** Documents that satisfy a rule now, in all collections that it applies to, best first. */
  readonly matches: (rule: Rule, signal: AbortSignal) => Promise<Match[]>;
}

const WEEK_MS = 604_800_000;

/** How long entries of the log are kept, in seconds. */
export function retentionOf({ settings }: Pick<DocsEnvironment, 'settings'>): number {
  return Math.ceil((settings.automation?.logsTtlMs ?? WEEK_MS) / 1000);
}

/** Decisions, section 8. */
const MAX_RULES = 1000;
/** Maximum number of matches that a test shows. */
const MAX_SHOWN = 1000;

type Draft = Parameters<AutomationHandlers['createAutomationRule']>[0];

export function createHandlers(deps: AutomationDeps): AutomationHandlers {
  const { environment, book } = deps;
  return {
    listAutomationRules: async () => ({
      rules: [...book.values()].map((rule) => present(deps, rule)),
      total: book.size,
    }),
    createAutomationRule: (draft, context) => create(deps, draft, context),
    getAutomationRule: async ({ id }) => present(deps, known(deps, id)),
    updateAutomationRule: ({ id, ...draft }, context) => replace(deps, id, draft, context),
    async deleteAutomationRule({ id }, context) {
      await remove(deps, id, context);
      return { status: 'deleted', id };
    },
    async testAutomationRule({ id }, { signal, budget }) {
      const rule = known(deps, id);
      if (rule.body.type === 'webhook')
        throw new ServiceError('invalid_argument', 'only a trigger or a cron can be tested');
      const { threshold } = conditionsOf(rule, (other) => book.get(other)) ?? rule.body;
      const found = await deps.matches(rule, signal);
      return {
        trigger: present(deps, rule),
        matches: await shown(deps, found, budget),
        total: found.length,
        threshold,
      };
    },
    async listAutomationLogs({ limit, cursor, ruleId, status }) {
      const since = unixSeconds(environment.clock) - retentionOf(environment);
      const { logs, total, next } = await readLogs(environment.sql, environment.keys, {
        limit,
        cursor,
        ruleId,
        status,
        since,
      });
      return { logs, total, nextCursor: next, hasMore: next !== '' };
    },
  };
}

async function shown({ search }: AutomationDeps, matches: readonly Match[], budget: AnswerBounds['budget']) {
  const all = [];
  for (const { key, lang, docId, collection, score, sentiment } of matches.slice(0, MAX_SHOWN)) {
    const document = await search.readDocument({ collection, key, lang });
    if (document === undefined) continue;
    const { checksum: _, ...rest } = document;
    if (!budget.take(Buffer.byteLength(JSON.stringify(rest)))) break;
    all.push({ document: rest, docId, collection, score, sentiment });
  }
  return all;
}

function known({ book }: Pick<AutomationDeps, 'book'>, id: string): Rule {
  const rule = book.get(id);
  if (rule === undefined) throw new ServiceError('not_found', 'not found');
  return rule;
}

async function create(deps: AutomationDeps, { secret = '', ...body }: Draft, by: Standing): Promise<AutomationRule> {
  checkRule({ ...deps, find: (id) => deps.book.get(id) }, body);
  checkSigningSecret(secret);
  const { environment: { sql, feed, keys, clock }, book } = deps;
  // The prefix tells a reader of a log what the id names.
  const id = `auto_${randomBytes(12).toString('hex')}`;
  const rule = await transactFor(sql, by, async (tx) => {
    // Rules of other transactions in the same group commit are not in the book yet.
    if (await countRules(tx) >= MAX_RULES)
      throw new ServiceError('invalid_argument', `at most ${MAX_RULES} rules are kept; delete one first`);
    const since = await feed.append(tx, [{ kind: 'automation.put', collection: '', key: id }]);
    const now = unixSeconds(clock);
    const made: Rule = {
      id,
      body,
      secret: body.type === 'webhook' ? secret : '',
      since,
      lastRun: 0,
      createdAt: now,
      updatedAt: now,
    };
    await writeRule(tx, made, keys);
    tx.onCommit(() => book.set(id, made));
    await deps.storing(tx, made, since);
    return made;
  });
  await deps.changed(id);
  return present(deps, rule);
}

async function replace(deps: AutomationDeps, id: string, { secret, ...draft }: Draft,
  by: Standing): Promise<AutomationRule>
{
  known(deps, id);
  checkSigningSecret(secret);
  const { environment: { sql, feed, keys, clock }, book } = deps;
  const rule = await transactFor(sql, by, async (tx) => {
    const stored = known(deps, id);
    const body = keepCredentials(stored.body, draft);
    checkRule({ ...deps, find: (other) => deps.book.get(other) }, body);
    if (body.type === 'webhook')
      requireSecret({ secret: 'secret', target: 'url' }, { secret: stored.secret, target: stored.body.url }, {
        secret,
        target: body.url,
      });
    const made: Rule = {
      ...stored,
      body,
      secret: body.type === 'webhook' ? secret || stored.secret : '',
      updatedAt: unixSeconds(clock),
    };
    await writeRule(tx, made, keys);
    tx.onCommit(() => book.set(id, made));
    await deps.storing(tx, made, await feed.append(tx, [{ kind: 'automation.put', collection: '', key: id }]));
    return made;
  });
  await deps.changed(id);
  return present(deps, rule);
}

async function remove(deps: AutomationDeps, id: string, by: Standing): Promise<void> {
  const { environment: { sql, feed }, book } = deps;
  await transactFor(sql, by, async (tx) => {
    known(deps, id);
    await removeRule(tx, id);
    await removeLanes(tx, id);
    tx.onCommit(() => book.delete(id));
    await deps.storing(tx, undefined, await feed.append(tx, [{ kind: 'automation.delete', collection: '', key: id }]));
  });
  await deps.changed(id);
}

function present({ crons }: Pick<AutomationDeps, 'crons'>,
  { id, body, secret, lastRun, createdAt, updatedAt }: Rule): AutomationRule
{
  const { name, enabled, collection, searchType, searchParams, query, threshold, webhookUrl, webhookId } = body;
  const common = { id, name, enabled, createdAt, updatedAt };
  const searching = {
    ...common,
    collection,
    searchType,
    searchParams,
    query,
    threshold,
    webhookUrl: body.type === 'webhook' ? '' : shownUrl(webhookUrl),
    webhookId: webhookId || undefined,
  };
  switch (body.type) {
    case 'webhook':
      return {
        type: 'webhook',
        ...common,
        url: shownUrl(body.url ?? ''),
        method: body.method,
        headers: withoutValues(body.headers),
        secretSet: secret !== '',
      };
    case 'cron':
      return {
        type: 'cron',
        ...searching,
        schedule: body.schedule ?? '',
        triggerId: body.triggerId || undefined,
        lastRun,
        nextRun: crons.nextOf(id),
      };
    case 'trigger':
      return {
        type: 'trigger',
        ...searching,
        events: body.events,
        sentimentEnabled: body.sentimentEnabled,
        sentimentMin: body.sentimentMin,
        sentimentMax: body.sentimentMax,
        conditionLogic: body.conditionLogic,
      };
  }
}

type Headers = Readonly<Record<string, string>>;

/** The headers of a target as answers show them: their values may be credentials. */
function withoutValues(headers: Headers = {}): Record<string, string> {
  return Object.fromEntries(Object.keys(headers).map((name) => [name, '']));
}

/**
 * A written rule with what answers do not show of the stored one: a URL that is written as it is shown keeps its query,
 * and an empty header its value. Throws `missing_fields` for such a header if the URL changes.
 */
function keepCredentials(stored: RuleBody, written: RuleBody): RuleBody {
  const url = written.url === undefined ? undefined : keepQuery(stored.url, written.url);
  return {
    ...written,
    webhookUrl: keepQuery(stored.webhookUrl, written.webhookUrl),
    ...(url !== undefined && { url }),
    ...(written.headers && { headers: keepValues(stored, { url, headers: written.headers }) }),
  };
}

function keepValues(stored: RuleBody,
  { url, headers }: { readonly url: string | undefined; readonly headers: Headers }): Headers
{
  const values = new Map(Object.entries(stored.headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]));
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => {
    const kept = values.get(name.toLowerCase());
    requireSecret({ secret: `headers.${name}`, target: 'url' }, { secret: kept, target: stored.url }, {
      secret: value,
      target: url,
    });
    return [name, value || (kept ?? '')];
  }));
}

interface CheckDeps {
  readonly outbound: Pick<Outbound, 'refusal'>;
  readonly search: Pick<RuleSearchDeps, 'words'>;
  readonly find: FindRule;
}

/** Maximum number of bytes of all headers of a target together (decisions, section 8). */
const MAX_HEADERS = 16_384;

const invalid = (message: string): ServiceError => new ServiceError('invalid_argument', message);
const missing = (fields: string): ServiceError => new ServiceError('missing_fields', `missing fields: ${fields}`);

/** Throws `missing_fields` and `invalid_argument`, naming the field, for a rule that could never work. */
function checkRule(deps: CheckDeps, body: RuleBody): void {
  if (body.type === 'webhook') return checkTarget(deps, body);
  if (!body.webhookId && body.webhookUrl === '') throw missing('webhookUrl or webhookId');
  if (body.webhookId) checkReference(deps, 'webhookId', body.webhookId, 'webhook');
  else checkUrl(deps, 'webhookUrl', body.webhookUrl);
  if (body.type === 'cron') checkCron(deps, body);
  else checkTrigger(body);
  // Other collections may parse a query differently, but its syntax is the same.
  if (body.query.trim() !== '' && body.searchType !== 'vector')
    wordsOf(deps.search.words, body, body.collection, { forAny: true });
}

function checkTarget(deps: CheckDeps, { url, headers = {} }: RuleBody): void {
  if (!url) throw missing('url');
  checkUrl(deps, 'url', url);
  const bad = badHeader(Object.keys(headers));
  if (bad !== undefined) throw invalid(`headers: ${bad.message}`);
  const bytes = Object.entries(headers).reduce((sum, [name, value]) => sum + name.length + Buffer.byteLength(value), 0);
  if (bytes > MAX_HEADERS) throw invalid(`headers must have at most ${MAX_HEADERS} bytes together, got ${bytes}`);
  const names = Object.keys(headers).map((name) => name.toLowerCase());
  const repeated = names.find((name, i) => names.indexOf(name) < i);
  if (repeated !== undefined) throw invalid(`headers: ${repeated} is there twice`);
}

function checkCron(deps: CheckDeps, { schedule, query, triggerId }: RuleBody): void {
  if (!schedule) throw missing('schedule');
  if (!isSchedule(schedule))
    throw invalid(
      `schedule must have five fields, six with leading seconds, or be @hourly, @daily, @weekly or @monthly, got ${
        JSON.stringify(schedule)
      }`,
    );
  if (triggerId) checkReference(deps, 'triggerId', triggerId, 'trigger');
  else if (query.trim() === '') throw missing('query or triggerId');
}

function checkTrigger({ query, sentimentEnabled, sentimentMin, sentimentMax }: RuleBody): void {
  if (query.trim() === '' && !sentimentEnabled) throw missing('query or sentimentEnabled');
  if (sentimentMin > sentimentMax)
    throw invalid(`sentimentMin must not be above sentimentMax, got ${sentimentMin} and ${sentimentMax}`);
}

function checkReference({ find }: CheckDeps, field: string, id: string, type: RuleBody['type']): void {
  if (find(id)?.body.type !== type)
    throw invalid(`${field}: there is no rule of type ${type} with the id ${JSON.stringify(id)}`);
}

function checkUrl({ outbound }: CheckDeps, field: string, url: string): void {
  const refusal = outbound.refusal(withoutVariables(url));
  if (refusal !== undefined) throw invalid(`${field}: ${refusal}`);
}
