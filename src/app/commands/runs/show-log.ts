import { getRun, listRunLogs } from '../../../../generated/runs/sdk/sdk.gen.ts';
import type { LogEvent } from '../../../../generated/runs/sdk/types.gen.ts';
import { systemTimer } from '../../../lib/timer.ts';
import { untilInterrupted } from '../shared/interrupt.ts';
import { type Io, writeLines } from '../shared/io.ts';
import { plainLine } from '../shared/table.ts';
import type { RunsClient } from './client.ts';
import { followRun, type Listener } from './follow-run.ts';
import { exitCodeOf, statusLine } from './present.ts';
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
