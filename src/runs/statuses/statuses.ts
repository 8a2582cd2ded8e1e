import type { Operations } from '../../../generated/runs/operations.ts';
import type { Forge } from '../../../generated/runs/sdk/types.gen.ts';
import type { Handlers } from '../../operations/index.ts';
import type { ForgeConfig } from '../config/index.ts';
import type { RunsEnvironment } from '../environment.ts';
import type { ForgeApis } from '../forge/index.ts';
import type { ChangingListener } from '../queue/port.ts';
import type { Enqueuer } from '../runs/index.ts';
import { wantedByIssues } from './issues/issue-posts.ts';
import { type IssueEvent, ReadyIssues } from './issues/ready-issues.ts';
import { countPosts, type ForgeCounts, type Health, readHealth } from './post-rows.ts';
import { Sender } from './sender.ts';
import { show, type ShowDeps } from './show.ts';
import { wantedByRuns, wantRejection } from './wanted.ts';

export interface StatusesDeps extends Omit<ShowDeps, 'env'> {
  readonly env: RunsEnvironment;
  readonly apis: ForgeApis;
  readonly enqueueOnce: Enqueuer['enqueueOnce'];
}

/** What forges show of runs: statuses of commits, comments and labels. */
export interface Statuses {
  readonly handlers: Required<Pick<Handlers<Operations>, 'listForges'>>;
  /** Sets what forges are to show, in the transaction of each change of a run. */
  readonly changing: ChangingListener;
  /** Shows on a commit why an event starts nothing. */
  reject(rejection: Parameters<typeof wantRejection>[2]): Promise<void>;
  /** An event of a project, of which issues with its label queue runs; may be called for an event again. */
  onEvent(event: IssueEvent): Promise<void>;
  /** Resolves when nothing is left to send now. */
  settled(): Promise<void>;
  start(): void;
  stop(): Promise<void>;
}

export function createStatuses({ env, enqueueOnce, ...deps }: StatusesDeps): Statuses {
  const { sql, config, log } = env;
  const sender = new Sender({ env, show: (post) => show({ env, ...deps }, post) });
  const wake = (): void => sender.wake();
  const issues = new ReadyIssues({ env, apis: deps.apis, enqueueOnce });
  const listeners = [wantedByRuns(env, wake), wantedByIssues(env, wake)];
  const warn = (): void => {
    const { forges, runtime } = config.current().config;
    if (runtime.public_url === '' && forges.some(({ token }) => token !== ''))
      log.warn({ setting: 'runtime.public_url' }, 'statuses and comments of forges have no links to runs');
  };
  let unsubscribe = (): void => {};
  return {
    async changing(tx, change) {
      for (const listener of listeners) await listener(tx, change);
    },
    onEvent: (event) => issues.onEvent(event),
    async reject(rejection) {
      await sql.transaction((tx) => wantRejection(tx, env, rejection));
      wake();
    },
    async settled() {
      await issues.settled();
      await sender.settled();
    },
    start() {
      unsubscribe();
      unsubscribe = config.onChange(warn);
      warn();
      sender.start();
      issues.start();
    },
    async stop() {
      unsubscribe();
      await issues.stop();
      await sender.stop();
    },
    handlers: {
      async listForges() {
        const [counts, health] = [await countPosts(sql), await readHealth(sql)];
        const data = config.current().config.forges.map(async (forge) =>
          presentForge(forge, counts.get(forge.name), health.get(forge.name),
            await deps.apis.apiOf(forge.name) !== undefined)
        );
        return { data: await Promise.all(data) };
      },
    },
  };
}

function presentForge({ name, kind, url }: ForgeConfig,
  { waiting, refused, refusal }: ForgeCounts = { waiting: 0, refused: 0, refusal: '' },
  { sentAt, failedAt, lastError }: Health = { sentAt: 0, failedAt: 0, lastError: '' }, hasApi: boolean): Forge
{
  // What has failed waits; a refusal alone says nothing about the forge.
  const usable = failedAt > 0 && waiting > 0 ? 'failing' : 'ok';
  return {
    name,
    kind,
    url: url || null,
    state: kind === 'git' ? 'no_api' : hasApi ? usable : 'no_token',
    waiting,
    refused,
    last_error: lastError || refusal || null,
    last_error_at: failedAt > 0 ? failedAt : null,
    last_sent_at: sentAt > 0 ? sentAt : null,
  };
}
