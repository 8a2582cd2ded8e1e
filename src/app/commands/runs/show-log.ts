import type { Command } from 'commander';
import { getRun, listRunLogs, streamRunLogs } from '../../../../generated/runs/sdk/sdk.gen.ts';
import type { LogEvent, Run, RunState } from '../../../../generated/runs/sdk/types.gen.ts';
import { backoffDelay, systemTimer, type Timer } from '../../../lib/clock.ts';
import { formatDuration } from '../../../lib/duration.ts';
import { wholeNumber } from '../shared/arguments.ts';
import { runCommand } from '../shared/command-error.ts';
import { type Io, untilInterrupted, writeLines } from '../shared/io.ts';
import { isColoured } from '../shared/output.ts';
import { TerminalText, visibleLine } from '../shared/terminal-text.ts';
import { addRunsClientOptions, openRunsClient, type RunsClient, type RunsClientOptions } from './client.ts';
import { findRun } from './find.ts';
import { ENDED, exitCodeOf, statusLine, writeRun } from './present.ts';
import { registerSearch } from './search-logs.ts';

/** After this long without a log line, a message says that the run continues; then each time after twice as long. */
const FIRST_MS = 30_000;

/** Tells a user that follows a log that a step is quiet, rather than the connection dead. */
export class QuietStep {
  readonly #timer: Timer;
  readonly #write: (line: string) => void;
  readonly #over = new AbortController();
  #arrived = new AbortController();
  #step: string | null = null;
  #isRunning = false;

  constructor(timer: Timer, write: (line: string) => void) {
    this.#timer = timer;
    this.#write = write;
  }

  /** Called when a line of this step arrived. */
  arrived(step: string | null): void {
    this.#step = step;
    this.#arrived.abort();
  }

  /** Only a run in progress can be quiet. */
  running(isRunning: boolean): void {
    this.#isRunning = isRunning;
    this.#arrived.abort();
  }

  async watch(): Promise<void> {
    while (!this.#over.signal.aborted) {
      this.#arrived = new AbortController();
      await this.#waitForLines(AbortSignal.any([this.#arrived.signal, this.#over.signal]));
    }
  }

  stop(): void {
    this.#over.abort();
  }

  async #waitForLines(signal: AbortSignal): Promise<void> {
    for (let quietMs = 0, waitMs = FIRST_MS; !signal.aborted; waitMs = quietMs) {
      await this.#timer.sleep(waitMs, signal);
      if (signal.aborted) return;
      quietMs += waitMs;
      if (this.#isRunning)
        this.#write(
          `— ${this.#step === null ? 'the run' : this.#step} is still running, without a line for ${
            formatDuration(quietMs)
          }`,
        );
    }
  }
}

interface LogView {
  readonly follow?: boolean | undefined;
  readonly attempt?: number | undefined;
  /** With `follow`: the attempt to begin with, instead of the current one. */
  readonly from?: number | undefined;
  readonly offset?: number | undefined;
  readonly json?: boolean | undefined;
  /** Colours of the output: `true` also where it goes to no terminal; absent: on a terminal. */
  readonly color?: boolean | undefined;
}

/** Prints a run's log; with `follow`, exits with the status of the run. */
export async function showLog(client: RunsClient, id: string, view: LogView, io: Io): Promise<void> {
  const text = new TerminalText({
    colours: view.color ?? isColoured(io.stdout),
    expandsTabs: io.stdout.isTTY === true,
  });
  const write = (event: LogEvent): void =>
    writeLines(io.stdout, [view.json ? JSON.stringify(event) : lineOf(event, text)]);
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

/** Writes a run that was queued, or with `follow` its id and then its log. */
export async function showQueued(client: RunsClient, run: Run, { json, follow }: LogView, io: Io): Promise<void> {
  writeRun(io, run, json && !follow);
  if (follow) await showLog(client, run.id, { json, follow, from: 1 }, io);
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

/** What has written the line, and its text as on a terminal. */
function lineOf({ step, stream, level, message }: LogEvent, text: TerminalText): string {
  const from = step ?? (stream === 'system' ? 'quire' : '');
  const mark = level === 'warn' || level === 'error' ? `${level}: ` : '';
  return `${from === '' ? '' : `[${visibleLine(from)}] `}${mark}${text.line(`${stream} ${from}`, message)}`;
}

interface Listener {
  log(event: LogEvent): void;
  state(state: RunState, attempt: number): void;
}

interface Start {
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

interface Options extends RunsClientOptions {
  readonly follow?: boolean;
  readonly attempt?: number;
  readonly offset: number;
  readonly json?: boolean;
  readonly color?: boolean;
  readonly plain?: boolean;
}

const NOTES = `
With --follow the log is printed as it grows, over all attempts that follow, until the run has ended; the status
is 0 when the run succeeded, 1 when it failed, 2 when it was cancelled.

Spaces and tabs are as the step wrote them. Colours are kept on a terminal, and removed with --plain, with NO_COLOR
and where the output goes to a file or a pipe, unless --color asks for them. Other escape sequences and control
characters are not sent to the terminal: they are shown as characters, such as ␛ and ␇. --json has the exact text.

Examples:
  $ quire runs logs 019b45a500007c3e9a41d2f0b6e85713 -f
  $ quire runs logs 019b45a500007c3e9a41d2f0b6e85713 --attempt 1 --json
`;

export function registerLogs(runs: Command, io: Io): void {
  const command = runs.command('logs').description('print the log of a run').argument('<id>',
    'id of the run, or its beginning or end').option('-f, --follow', 'go on until the run has ended').option(
      '--attempt <n>',
      'log of this attempt; without it the current one',
      wholeNumber(1, 1_000_000),
    ).option('--offset <n>', 'first event', wholeNumber(0, Number.MAX_SAFE_INTEGER), 0).option('--json',
      'write one JSON object a line, with the exact text').option('--plain', 'without colours').option('--color',
      'with colours, also in a file or a pipe');
  addRunsClientOptions(command).addHelpText('after', NOTES).action(async (id: string, options: Options) => {
    await runCommand('runs logs', io, async () => {
      const client = openRunsClient(options);
      const { plain, ...view } = options;
      await showLog(client, await findRun(client, id), plain ? { ...view, color: false } : view, io);
    });
  });
  registerSearch(command, io);
}
