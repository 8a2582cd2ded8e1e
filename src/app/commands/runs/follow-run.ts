import { getRun, streamRunLogs } from '../../../../generated/runs/sdk/sdk.gen.ts';
import type { LogEvent, Run, RunState } from '../../../../generated/runs/sdk/types.gen.ts';
import { backoffDelay } from '../../../lib/backoff.ts';
import { systemTimer } from '../../../lib/timer.ts';
import type { RunsClient } from './client.ts';
import { ENDED } from './present.ts';

export interface Listener {
  log(event: LogEvent): void;
  state(state: RunState, attempt: number): void;
}

export interface Start {
  /** Only this attempt; if absent, all from the current one on, or from `from` on. */
  readonly attempt?: number | undefined;
  readonly from?: number | undefined;
  readonly offset?: number | undefined;
}

const BACKOFF = { initial: 250, max: 8000 };

/**
 * Follows a run's log across broken connections, restarts of the service and further attempts, with every event once.
 * Returns the run when it, or the requested attempt, has ended; undefined if the signal aborted first.
 */
export async function followRun(client: RunsClient, id: string, start: Start, listener: Listener,
  signal: AbortSignal): Promise<Run | undefined>
{
  const ask = async (): Promise<Run> =>
    (await client.ask(() => getRun({ client: client.sdk, path: { id } }), signal)).data;
  let attempt = start.attempt ?? start.from ?? (await ask()).attempt;
  let offset = start.offset ?? 0;
  for (let failures = 0; !signal.aborted;) {
    const before = offset;
    const ended = await readStream(client, id, { attempt, offset }, {
      state: listener.state,
      log: (event) => {
        offset++;
        listener.log(event);
      },
    }, signal);
    failures = offset > before ? 0 : failures;
    const run = await ask();
    if (ended && (start.attempt !== undefined || (ENDED.has(run.state) && run.attempt <= attempt))) return run;
    if (ended) [attempt, offset] = [attempt + 1, 0];
    else await systemTimer.sleep(backoffDelay(++failures, BACKOFF), signal);
  }
  return undefined;
}

/** One connection; returns whether the attempt has ended. */
async function readStream(client: RunsClient, id: string, query: { attempt: number; offset: number },
  listener: Listener, signal: AbortSignal): Promise<boolean>
{
  let ended = false;
  const { stream } = await streamRunLogs({
    client: client.sdk,
    path: { id },
    query,
    signal,
    // This code knows the position at which to continue better than the client does.
    sseMaxRetryAttempts: 1,
    onSseEvent: ({ event, data }) => {
      if (event === 'log') listener.log(data as unknown as LogEvent);
      const { state, attempt } = data as unknown as { state: RunState; attempt: number };
      if (event === 'state') listener.state(state, attempt);
      ended ||= event === 'end';
    },
  });
  for await (const _ of stream);
  return ended;
}
