import { Counter, Gauge, type Registry } from 'prom-client';
import { systemTimer, type Timer, unixSeconds } from '../../lib/clock.ts';
import { Loop } from '../../lib/loop.ts';
import { isSystemCollection } from '../../lib/system-collection.ts';
import type { Outbound } from '../../net/index.ts';
import type { Documents } from '../documents/index.ts';
import type { DocsEnvironment } from '../environment.ts';
import type { WordsDeps } from '../fulltext/index.ts';
import type { Hybrid } from '../hybrid/index.ts';
import { warnOfSecrets } from '../secrets.ts';
import { listCollections } from '../stored-collections.ts';
import { loadingHere } from '../view/index.ts';
import { Crons } from './crons.ts';
import { Deliveries } from './deliveries.ts';
import { deliveryId, type EvaluationCounts } from './evaluation.ts';
import { type AutomationDeps, type AutomationHandlers, createHandlers, retentionOf } from './handlers.ts';
import { removeExpired } from './log-rows.ts';
import type { Delivery } from './message.ts';
import { conditionsOf, type Match, readRules, type Rule, writeLastRun } from './rule.ts';
import { matchesOf, type RuleSearchDeps } from './search.ts';
import { type Lexicon, readLexicon } from './sentiment.ts';
import { Triggers } from './triggers.ts';

/** Rules that watch writes or search on a schedule, and send matches to a URL. */
export interface Automation {
  readonly handlers: AutomationHandlers;
  /** Reads the rules. Call it before `work`, and again after the database was replaced. */
  load(): Promise<void>;
  /** Starts triggers, crons and deliveries, as far as the settings enable them. Not for read-only servers. */
  work(): Promise<void>;
  /** Delivers what another node has put into outboxes. */
  wake(): Promise<void>;
  /** Waits briefly for running work; harmless when repeated. */
  stop(): Promise<void>;
  registerMetrics(registers: Registry[]): void;
  /** Counters since the start. */
  readonly counts: Triggers['evaluation']['counts'];
}

interface AutomationAreas {
  readonly outbound: Outbound;
  readonly documents: Pick<Documents, 'readDocument'>;
  readonly words: WordsDeps;
  readonly vectors: RuleSearchDeps['vectors'];
  readonly hybrid: Pick<Hybrid, 'hybridSearch'>;
  readonly timer?: Timer;
}

const PRUNE_MS = 3_600_000;
/** Number of rows that one transaction removes, so that writers wait only for milliseconds. */
const PRUNE_STEP = 2000;

export function createAutomation(environment: DocsEnvironment,
  { outbound, documents: { readDocument }, words, vectors, hybrid, timer = systemTimer }: AutomationAreas): Automation
{
  const { sql, clock, log, keys, settings: { automation: settings = {} } } = environment;
  const { enabled = true, triggers: hasTriggers = true, crons: hasCrons = true, cronTz: timeZone = 'UTC',
    sentimentLexicon } = settings;
  const book = new Map<string, Rule>();
  const find = (id: string): Rule | undefined => book.get(id);
  let lexicon: Lexicon | undefined;
  const search: RuleSearchDeps = {
    environment,
    words,
    vectors,
    hybrid,
    readDocument,
    lexicon: () => lexicon ?? new Map(),
  };
  const deliveries = new Deliveries({ environment, outbound, timer, find, readDocument });
  const triggers = new Triggers({ environment, timer, search, rules: () => book.values(), deliveries });
  const matches = (rule: Rule, signal: AbortSignal): Promise<Match[]> =>
    matchesOfRule(search, environment, { rule, find, signal });
  const crons: Crons = new Crons({
    clock,
    timer,
    log,
    timeZone,
    find,
    run: (rule, second, signal) => runCron({ environment, book, deliveries, matches }, rule, second, signal),
  });
  const pruning = new Loop({
    name: 'automation log',
    everyMs: PRUNE_MS,
    timer,
    log,
    failure: 'old entries of the automation log could not be removed',
  }, (signal) => prune(environment, signal));
  let isRunning = false;
  const followsTriggers = (): boolean => isRunning && enabled && hasTriggers;
  const apply = async (): Promise<void> => {
    crons.apply(enabled && hasCrons ? book.values() : []);
    if (followsTriggers()) await triggers.apply();
  };
  const deps: AutomationDeps = {
    environment,
    outbound,
    book,
    search,
    crons,
    matches,
    async storing(tx, rule, lsn) {
      if (followsTriggers() && rule?.body.type === 'trigger') await triggers.began(tx, lsn);
      tx.onCommit(() => triggers.index.clear());
    },
    async changed(id) {
      await apply();
      if (!book.has(id)) await deliveries.remove(id);
    },
  };
  return {
    handlers: createHandlers(deps),
    counts: triggers.evaluation.counts,
    async load() {
      await triggers.stop();
      await deliveries.abandon(book.keys());
      lexicon ??= await readLexicon(sentimentLexicon);
      const rules = await readRules(sql, keys);
      book.clear();
      for (const rule of rules) book.set(rule.id, rule);
      await apply();
      if (isRunning && enabled) await deliveries.start();
    },
    async work() {
      isRunning = true;
      warnOfSecrets(log, 'rule', book.values());
      if (followsTriggers()) await triggers.apply();
      else await triggers.forget();
      if (enabled) await deliveries.start();
      if (enabled && hasCrons) crons.start();
      pruning.start();
    },
    async wake() {
      if (isRunning && enabled) await deliveries.start();
    },
    async stop() {
      isRunning = false;
      await triggers.stop();
      await crons.stop();
      await deliveries.stop();
      await pruning.stop();
    },
    registerMetrics: (registers) =>
      registerMetrics(registers, { evaluation: triggers.evaluation.counts, deliveries, book }),
  };
}

interface RuleSearch {
  readonly rule: Rule;
  readonly find: (id: string) => Rule | undefined;
  readonly signal: AbortSignal;
}

async function matchesOfRule(search: RuleSearchDeps, environment: DocsEnvironment,
  { rule, find, signal }: RuleSearch): Promise<Match[]>
{
  const conditions = conditionsOf(rule, find);
  if (conditions === undefined) return [];
  const found: Match[] = [];
  for (const collection of await collectionsOf(environment, conditions.collection))
    found.push(...await loadingHere(() => matchesOf(search, conditions, collection, signal), signal));
  return found.sort((a, b) => b.score - a.score);
}

/** Names of the collections that a rule applies to. */
async function collectionsOf({ sql }: DocsEnvironment, collection: string): Promise<string[]> {
  if (collection !== '') return [collection.toLowerCase()];
  return (await listCollections(sql)).map(({ name }) => name).filter((name) => !isSystemCollection(name));
}

interface CronRun extends Pick<AutomationDeps, 'environment' | 'book' | 'matches'> {
  readonly deliveries: Deliveries;
}

/** The time of the run is stored with its deliveries in one transaction, so a run happens once or not at all. */
async function runCron({ environment: { sql }, book, matches, deliveries }: CronRun, rule: Rule, second: number,
  signal: AbortSignal): Promise<void>
{
  const outcome = await matches(rule, signal).then((found) => ({ found, error: undefined }),
    (error: unknown) => ({ found: [], error }));
  if (signal.aborted) return;
  const due = outcome.found.map((match): Delivery => ({
    ...match,
    id: deliveryId(rule.id, String(second), match.docId),
    event: 'cron.fired',
    ruleId: rule.id,
    timestamp: second,
  }));
  await sql.transaction(async (tx) => {
    const current = book.get(rule.id);
    if (current?.body.type !== 'cron') return;
    await writeLastRun(tx, rule.id, second);
    await deliveries.add(tx, current, due);
    tx.onCommit(() => book.set(rule.id, { ...current, lastRun: second }));
  });
  deliveries.wake(rule.id);
  if (outcome.error !== undefined) throw outcome.error as Error;
}

async function prune(environment: DocsEnvironment, signal: AbortSignal): Promise<void> {
  const before = unixSeconds(environment.clock) - retentionOf(environment);
  while (!signal.aborted &&
    (await environment.sql.transaction((tx) => removeExpired(tx, before, PRUNE_STEP))) === PRUNE_STEP);
}

interface Measured {
  readonly evaluation: EvaluationCounts;
  readonly deliveries: Pick<Deliveries, 'counts' | 'waiting'>;
  readonly book: ReadonlyMap<string, Rule>;
}

function registerMetrics(registers: Registry[], { evaluation, deliveries, book }: Measured): void {
  const counter = (name: string, help: string, value: () => number): void =>
    void new Counter({
      name,
      help,
      registers,
      collect() {
        this.reset();
        this.inc(value());
      },
    });
  counter('svc_automation_documents_total', 'Written documents that were compared with triggers.',
    () => evaluation.documents);
  counter('svc_automation_evaluated_total',
    'Triggers whose conditions were evaluated for a written document; all others were ruled out by its words.',
    () => evaluation.evaluated);
  new Counter({
    name: 'svc_automation_deliveries_total',
    help: 'Deliveries of triggers and crons by how they ended.',
    labelNames: ['status'],
    registers,
    collect() {
      this.reset();
      for (const [status, count] of Object.entries(deliveries.counts)) this.inc({ status }, count);
    },
  });
  new Gauge({
    name: 'svc_automation_waiting',
    help: 'Deliveries of triggers and crons in memory that have not ended.',
    registers,
    collect() {
      this.set(deliveries.waiting);
    },
  });
  new Gauge({
    name: 'svc_automation_rules',
    help: 'Automation rules by type.',
    labelNames: ['type'],
    registers,
    collect() {
      this.reset();
      for (const type of ['trigger', 'cron', 'webhook'] as const)
        this.set({ type }, [...book.values()].filter(({ body }) => body.type === type).length);
    },
  });
}
