import type { RunsEnvironment } from '../environment.ts';
import type { ForgeApis, SecretReader } from '../forge/index.ts';
import type { ChangingListener } from '../queue/port.ts';
import type { Enqueuer } from '../runs/index.ts';
import { createStatusHandlers, type StatusHandlers } from './handlers.ts';
import { wantedByIssues } from './issues/issue-posts.ts';
import { type IssueEvent, ReadyIssues } from './issues/ready-issues.ts';
import { Sender } from './sender.ts';
import { show, type ShowDeps } from './show.ts';
import { wantedByRuns, wantRejection } from './wanted.ts';

export interface StatusesDeps extends Omit<ShowDeps, 'env'> {
  readonly env: RunsEnvironment;
  readonly apis: ForgeApis;
  readonly enqueueOnce: Enqueuer['enqueueOnce'];
  /** The current value of a secret; undefined if it is not set. */
  readonly secretValue: SecretReader;
}

/** What forges show of runs: statuses of commits, comments and labels. */
export interface Statuses {
  readonly handlers: StatusHandlers;
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
    handlers: createStatusHandlers({ env, ...deps }),
  };
}
