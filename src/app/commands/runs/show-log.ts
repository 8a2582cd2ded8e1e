import { getRun, listRunLogs, streamRunLogs } from '../../../../generated/runs/sdk/sdk.gen.ts';
import type { LogEvent, Run, RunState } from '../../../../generated/runs/sdk/types.gen.ts';
import { backoffDelay, systemTimer } from '../../../lib/clock.ts';
import { untilInterrupted } from '../shared/interrupt.ts';
import { type Io, writeLines } from '../shared/io.ts';
import { plainLine } from '../shared/table.ts';
import type { RunsClient } from './client.ts';
import { ENDED, exitCodeOf, statusLine } from './present.ts';
import { QuietStep } from './quiet-step.ts';

export interface LogView {
  readonly follow?: boolean | undefined;
  readonly attempt?: number | undefined;
  /** With `follow`: the attempt to begin with, instead of the current one. */
  readonly from?: number | undefined;
  readonly offset?: number | undefined;
  readonly json?: boolean | undefined;
}

/** Prints a run's log; with `follow`, exits with the status of the run. */
export async function showLog(client: RunsClient, id: string, view: LogView, io: Io): Promise<void> {
  const write = (event: LogEvent): void => writeLines(io.stdout, [view.json ? JSON.stringify(event) : lineOf(event)]);
  if (!view.follow) return printLog(client, id, view, write);
  await untilInterrupted(async (signal) => {
    const quiet = new QuietStep(systemTimer, (line) => writeLines(io.stderr, [line]));
    const listener: Listener = {
      log: (event) => {
        quiet.arrived(event.step);
        write(event);
      },
      state: (state, attempt) => {
        quiet.running(state === 'running');
        writeLines(io.stderr, [`— ${state}, attempt ${attempt}`]);
      },
    };
    void quiet.watch();
    const run = await followRun(client, id, view, listener, signal).finally(() => quiet.stop());
    if (run === undefined) return io.setExitCode(130);
    writeLines(io.stderr, [statusLine(run)]);
    io.setExitCode(exitCodeOf(run));
  });
}

/** Prints the lines that exist now, page by page. */
async function printLog(client: RunsClient, id: string, view: LogView,
  write: (event: LogEvent) => void): Promise<void>
{
  const attempt = view.attempt ?? (await client.ask(() => getRun({ client: client.sdk, path: { id } }))).data.attempt;
  let offset = view.offset ?? 0;
  for (;;) {
    const query = { attempt, offset };
    const page = await client.ask(() => listRunLogs({ client: client.sdk, path: { id }, query }));
    page.data.forEach(write);
    if (page.data.length === 0 || page.complete) return;
    offset = page.next_offset;
  }
}

/** Removes characters that could move the cursor or change the terminal. */
function lineOf({ step, stream, level, message }: LogEvent): string {
  const from = step ?? (stream === 'system' ? 'quire' : '');
  const mark = level === 'warn' || level === 'error' ? `${level}: ` : '';
  return plainLine(`${from === '' ? '' : `[${from}] `}${mark}${message}`);
}

interface Listener {
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
async function followRun(client: RunsClient, id: string, start: Start, listener: Listener,
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
