import { type Operations, operations } from '../../generated/runs/operations.ts';
import { createHttpApp, nestedErrors, startHttpServer } from '../api/http/index.ts';
import { readSpecification } from '../app/specification.ts';
import type { Clock } from '../lib/clock.ts';
import { silentLog } from '../lib/log.ts';
import { createInvoker, type Handlers, type InvokerOptions } from '../operations/index.ts';
import { createAlerts, projectOf } from '../runs/alerts/index.ts';
import { createAuditLog } from '../runs/audit/index.ts';
import { createGuard, type FenceDeps, projectFences } from '../runs/auth/index.ts';
import { createBadges } from '../runs/badges/index.ts';
import { createCacheHandlers } from '../runs/caches/index.ts';
import { type LoadedRunsConfig, parseRunsConfig } from '../runs/config/index.ts';
import type { RunsEnvironment } from '../runs/environment.ts';
import { createForge, createForgeApis, type Forge, Repositories } from '../runs/forge/index.ts';
import type { ForgeApi } from '../runs/forge/port.ts';
import { createIdTokens } from '../runs/id-tokens/index.ts';
import { createLogSearch } from '../runs/logs/index.ts';
import { createMetrics, createRecorder, type FleetNumbers, type Recorder } from '../runs/metrics/index.ts';
import { createNotifications, type Notifications } from '../runs/notifications/index.ts';
import { People } from '../runs/people/index.ts';
import { type Completion, createQueue, type Queue } from '../runs/queue/index.ts';
import { Reports } from '../runs/reports/index.ts';
import { createRuns, type Runs } from '../runs/runs/index.ts';
import { createScheduleHandlers, createSchedules, type Schedules } from '../runs/schedules/index.ts';
import { createStatuses, type Statuses, type StatusesDeps } from '../runs/statuses/index.ts';
import { storeStep } from '../runs/storage-failures.ts';
import { createSystem } from '../runs/system/index.ts';
import { type DatabaseOptions, RUN_QUEUE_MIGRATIONS, type Sql } from '../storage/index.ts';
import { type Answer, HttpClient } from './http-client.ts';
import { ManualTimer } from './manual-timer.ts';
import { openMigrated } from './migrated-database.ts';

export const TOKEN = 'a-token-of-many-characters';

/** The configuration that most tests need: a project, a disabled one, pipelines, and AI roles. */
export const CONFIG = `
projects:
  - {id: alpha, repository: org/alpha, runs_on: [os=linux], priority: 5, issue_label: ready}
  - {id: beta, repository: 'https://git.example.org/beta.git'}
  - {id: off, repository: org/off, enabled: false}
pipelines:
  - {name: build, runs_on: [gpu=a100, os=linux], env: {CI: "true"}, steps: [{name: test, run: npm test}]}
  - {name: secret, projects: [beta], steps: [{name: one, exec: [make]}]}
ai:
  roles:
    - {name: writer, endpoint: 'https://ai.example.org/v1', model: m, api_key_env: WRITER_KEY, system_prompt: Be brief.}
    - {name: reader, endpoint: 'https://ai.example.org/v1', model: m, api_key_env: MISSING_KEY}
    - {name: ours, endpoint: 'https://ai.example.org/v1', model: m, projects: [beta]}
`;

export interface RunsApiOptions {
  /** A file, so that another service can continue with it; otherwise a database in memory. */
  readonly path?: string;
  readonly config?: string;
  /** If there is none, writes return 401 and reads are open. */
  readonly tokens?: readonly string[];
  readonly faults?: DatabaseOptions['faults'];
  readonly fleet?: () => FleetNumbers;
  /** Environment variables of the service. */
  readonly variables?: Readonly<Record<string, string>>;
  /** Values of secrets; the names of their variables are their own. */
  readonly secrets?: Readonly<Record<string, string>>;
}

/** The API of the run queue over HTTP, with a real queue; the test plays the executing side. */
export class RunsApi {
  readonly clock: Clock & { ms: number };
  readonly timer = new ManualTimer();
  readonly sql: Sql;
  readonly queue: Queue;
  readonly runs: Runs;
  readonly schedules: Schedules;
  /** Not started: it processes nothing by itself. */
  readonly forge: Forge;
  /** APIs of forges by their names. */
  readonly forgeApis = new Map<string, ForgeApi>();
  readonly statuses: Statuses;
  /** Creates the statuses of a server that is started later over the same store. */
  readonly anotherStatuses: () => Statuses;
  readonly notifications: Notifications;
  readonly people: People;
  /** Creates the notifications of a server that is started later over the same store. */
  readonly anotherNotifier: () => Notifications;
  readonly recorder: Recorder;
  /** Names of the variables with API keys that at least one machine provides. */
  readonly keys = new Set(['WRITER_KEY']);
  annotationsOf: StatusesDeps['annotationsOf'] = async () => [];
  accepting = true;
  storageWorks = true;
  logsAreFull = false;
  readonly warnings: string[] = [];
  loaded: LoadedRunsConfig;
  readonly #handlers: Handlers<Operations>;
  readonly #invokerOptions: Pick<InvokerOptions<Operations>, 'guard' | 'preconditions' | 'fences' | 'steps'>;
  #url = '';
  #client: HttpClient | undefined;
  #stopListening: () => Promise<void> = async () => {};
  readonly #closeForges: () => Promise<void>;

  static async start(options: RunsApiOptions = {}): Promise<RunsApi> {
    const sql = await openMigrated({
      path: options.path ?? ':memory:',
      ...(options.faults ? { faults: options.faults } : {}),
    }, RUN_QUEUE_MIGRATIONS);
    const api = new RunsApi(sql, options);
    await api.queue.start();
    await api.#listen();
    return api;
  }

  private constructor(sql: Sql,
    { config = CONFIG, tokens = [TOKEN], fleet, variables = {}, secrets = {} }: RunsApiOptions)
  {
    this.sql = sql;
    const clock = { ms: Date.parse('2026-01-01T00:00:00Z'), now: (): number => clock.ms };
    this.clock = clock;
    this.loaded = {
      config: parseRunsConfig(config),
      apiTokens: tokens,
      source: '/runs.yaml',
      folder: '/',
      readOnly: false,
      hash: '',
    };
    const env: RunsEnvironment = {
      sql,
      clock,
      timer: this.timer,
      log: { ...silentLog, warn: (_fields, message) => void this.warnings.push(message) },
      config: { current: () => this.loaded, onChange: () => () => {} },
      nodeId: 'node-1',
      version: '1.2.3',
    };
    this.queue = createQueue({
      env,
      note: async () => {},
      onSuperseded: (tx, runId, by) => audit.record(tx, 'system', 'cancel', runId, { superseded_by: by }),
    });
    const logs = { totalBytes: () => 42 };
    const audit = createAuditLog(env);
    this.recorder = createRecorder(clock);
    this.queue.onChange(this.recorder.runChanged);
    const metrics = createMetrics(env, {
      recorder: this.recorder,
      queue: this.queue,
      logs,
      fleet: fleet ?? (() => ({ ships: [], slots: [], certificates: [] })),
    });
    const secretValue = (name: string): string | undefined => secrets[name];
    const machine = { PATH: process.env['PATH'], HOME: process.env['HOME'] };
    const repositories = new Repositories({ config: env.config, variables: machine, secretValue });
    this.runs = createRuns(env, {
      repositories,
      queue: this.queue,
      audit,
      keyVariableAvailable: (name) => this.keys.has(name),
      logsAreFull: () => this.logsAreFull,
    });
    this.anotherNotifier = () =>
      createNotifications(env, {
        variables: { HOOK_KEY: 'key-of-the-signature' },
        audit,
        present: this.runs.present,
        onOutcome: this.recorder.notified,
      });
    this.people = new People(env, { audit, variables });
    this.notifications = this.anotherNotifier();
    this.queue.onChanging(this.notifications.notify);
    const { close, ...apis } = createForgeApis(env, () => 'a-token-of-a-forge');
    this.#closeForges = close;
    this.anotherStatuses = () =>
      createStatuses({
        env,
        queue: this.queue,
        apis,
        enqueueOnce: this.runs.enqueueOnce,
        annotationsOf: (id) => this.annotationsOf(id),
        secretValue,
      });
    this.statuses = this.anotherStatuses();
    this.queue.onChanging(this.statuses.changing);
    this.schedules = createSchedules({
      env,
      queue: this.queue,
      repositories,
      enqueueOnce: this.runs.enqueueOnce,
      onSlot: this.recorder.slotDue,
    });
    this.forge = createForge({
      env,
      audit,
      runs: this.runs,
      repositories,
      apis: { apiOf: (name) => this.forgeApis.get(name) },
      secretValue,
    });
    const scheduled = createScheduleHandlers(env, {
      ...this.runs,
      queue: this.queue,
      audit,
      requestOf: this.schedules.requestOf,
    });
    const alerts = createAlerts(env, { ...this.runs, onReceived: this.recorder.alertReceived });
    const system = createSystem({
      version: env.version,
      accepting: () => this.accepting,
      checks: { storage: async () => this.storageWorks && (await sql.healthy()), config: () => true },
    });
    const fence: FenceDeps = {
      runOf: (id) => this.queue.get(id),
      projectOfAlerts: (labels) => projectOf(labels, this.loaded.config),
    };
    this.#handlers = {
      ...this.runs.handlers,
      ...alerts.handlers,
      ...this.forge.handlers,
      ...audit.handlers,
      ...scheduled.handlers,
      ...this.notifications.handlers,
      ...this.statuses.handlers,
      ...createCacheHandlers({ env, audit, caches: undefined }),
      ...createLogSearch({ sql, queue: this.queue }),
      ...new Reports({ env, queue: this.queue }).handlers,
      ...createBadges(env).handlers,
      ...metrics.handlers,
      ...system.handlers,
      ...this.people.handlers,
      ...createIdTokens(env).handlers,
    };
    this.#invokerOptions = {
      guard: createGuard(env.config, clock, this.people),
      preconditions: { ...this.runs.preconditions, ...scheduled.preconditions },
      fences: projectFences(fence),
      steps: {
        store: storeStep({ accepting: () => this.accepting, onFailure: this.recorder.storageFailed }),
      },
    };
  }

  get url(): string {
    return this.#url;
  }

  get client(): HttpClient {
    return this.#client!;
  }

  async #listen(): Promise<void> {
    const specification = await readSpecification('runs');
    const invoke = createInvoker<Operations>({
      operations,
      inputs: specification.inputs,
      handlers: this.#handlers,
      mode: () => 'wr',
      timeoutMs: 30_000,
      ...this.#invokerOptions,
    });
    const app = await createHttpApp<Operations>({
      title: 'test',
      specification,
      operations,
      invoke,
      errors: nestedErrors,
      log: silentLog,
      maxBodyBytes: 1_048_576,
      corsOrigins: [],
      validateResponses: true,
      apiKeys: false,
    });
    const http = await startHttpServer(app.callback(), { host: '127.0.0.1', port: 0 }, nestedErrors);
    const client = new HttpClient(http.url, 64);
    this.#client = client;
    this.#url = http.url;
    this.#stopListening = async () => {
      client.close();
      await http.stop(100);
    };
  }

  /** Replaces the configuration, like a reload. */
  configure(config: string): void {
    this.loaded = { ...this.loaded, config: parseRunsConfig(config) };
  }

  /** Sends a request with the token, unless its headers say otherwise. */
  send(method: string, path: string,
    { body, key, headers = {} }: { body?: unknown; key?: string; headers?: Record<string, string> } = {}
  ): Promise<Answer> {
    const content = body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body);
    return this.client.send(method, `/api/v1${path}`, {
      headers: {
        Authorization: `Bearer ${TOKEN}`,
        'Content-Type': 'application/json',
        ...(key === undefined ? {} : { 'Idempotency-Key': key }),
        ...headers,
      },
      ...(content === undefined ? {} : { body: content }),
    });
  }

  enqueue(key: string, body: unknown): Promise<Answer> {
    return this.send('POST', '/runs', { key, body });
  }

  /** Queues a diagnostic run and returns its id. */
  async queued(key: string, project = 'beta'): Promise<string> {
    const answer = await this.enqueue(key, { project_id: project, kind: 'diagnostic' });
    if (answer.status !== 202) throw new Error(answer.text);
    return answer.json<{ data: { id: string } }>().data.id;
  }

  /** Plays a ship that claims the next run, records its commit if one is given, and ends it. */
  async work(completion: Completion, labels: readonly string[] = [],
    source?: { gitRef: string; commit: string }): Promise<string>
  {
    const { promise, resolve } = Promise.withResolvers<Parameters<Parameters<Queue['addWorker']>[0]['assign']>[0]>();
    let free = 1;
    const worker = this.queue.addWorker({
      shipId: 'f'.repeat(32),
      sessionId: 's',
      labels,
      kinds: ['diagnostic', 'pipeline', 'ai_text'],
      keyVariables: ['WRITER_KEY'],
      free: () => free,
      assign: (claim) => {
        free = 0;
        resolve(claim);
      },
    });
    const claim = await promise;
    await this.queue.accept(claim.ref, 'f'.repeat(32));
    if (source !== undefined) await this.queue.recordSource(claim.ref, 'f'.repeat(32), source);
    await this.queue.complete(claim.ref, 'f'.repeat(32), completion);
    worker.remove();
    return claim.run.id;
  }

  async stop(): Promise<void> {
    await this.#stopListening();
    await this.forge.stop();
    await this.runs.stop();
    await this.people.stop();
    await this.notifications.stop();
    await this.statuses.stop();
    await this.#closeForges();
    await this.queue.stop();
    await this.sql.close();
  }
}
