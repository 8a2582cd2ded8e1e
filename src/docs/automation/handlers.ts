import { randomBytes } from 'node:crypto';
import type { AutomationRule } from '../../../generated/docs/sdk/types.gen.ts';
import { ServiceError } from '../../errors/index.ts';
import { unixSeconds } from '../../lib/clock.ts';
import type { AnswerBounds, Standing } from '../../operations/index.ts';
import { checkSigningSecret, keepQuery, requireSecret, shownUrl } from '../secrets.ts';
import { transactFor } from '../transact-for.ts';
import { removeLanes } from '../webhooks/index.ts';
import { checkRule } from './check-rule.ts';
import { type AutomationDeps, type AutomationHandlers, retentionOf } from './deps.ts';
import { readLogs } from './log-rows.ts';
import { countRules, removeRule, writeRule } from './rule-rows.ts';
import { conditionsOf, type Match, type Rule, type RuleBody } from './rule.ts';

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
    all.push({ document: rest, docId, collection, score, ...(sentiment !== undefined && { sentiment }) });
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
    ...(searchParams && { searchParams }),
    query,
    threshold,
    webhookUrl: body.type === 'webhook' ? '' : shownUrl(webhookUrl),
    ...(webhookId && { webhookId }),
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
        ...(body.triggerId && { triggerId: body.triggerId }),
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
