import { streamRunLogs } from '../../../generated/runs/sdk/sdk.gen.ts';
import type { LogEvent, RunState } from '../../../generated/runs/sdk/types.gen.ts';
import { type Look, readAnsiFrom, type Span, withoutAnsi } from '../shared/ansi.ts';

/** A line of a log with its position, the attempt and the offset in it, and its text in pieces with their style. */
export interface LogLine extends LogEvent {
  readonly id: string;
  readonly spans: readonly Span[];
  /** The text alone, in lower case. */
  readonly plain: string;
}

export interface LogListener {
  readonly onLines: (lines: readonly LogLine[]) => void;
  readonly onState: (state: RunState) => void;
  /** Whether the stream is connected; false while it reconnects. */
  readonly onConnected: (isConnected: boolean) => void;
}

const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 10_000;
/** Lines that arrive together are shown together. */
const GATHER_MS = 60;

/**
 * Follows the log of a run until the run has ended or `signal` aborts. A broken connection is reopened after the last
 * received line, so that no line is missed or shown twice.
 */
export async function followLog(id: string, attempt: number | undefined, { onLines, onState, onConnected }: LogListener,
  signal: AbortSignal): Promise<void>
{
  const gathered = gather(onLines, signal);
  const styled = styler();
  let last: string | undefined;
  let pause = FIRST_PAUSE_MS;
  let hasEnded = false;
  while (!hasEnded && !signal.aborted) {
    const { stream } = await streamRunLogs({
      path: { id },
      query: { attempt },
      signal,
      sseMaxRetryAttempts: 1,
      ...(last !== undefined && { headers: { 'Last-Event-ID': last } }),
      onSseEvent: ({ event, data, id: place }) => {
        pause = FIRST_PAUSE_MS;
        onConnected(true);
        if (event === 'log') {
          last = place;
          gathered(styled(data as unknown as LogEvent, place ?? ''));
        } else if (event === 'state') onState((data as unknown as { state: RunState }).state);
        else if (event === 'end') hasEnded = true;
      },
    });
    for await (const _event of stream) if (signal.aborted || hasEnded) break;
    if (hasEnded || signal.aborted) break;
    onConnected(false);
    await new Promise((resolve) => setTimeout(resolve, pause));
    pause = Math.min(LONGEST_PAUSE_MS, pause * 2);
  }
}

/** Styles that a line leaves on continue in the next line of the same step and stream. */
function styler(): (event: LogEvent, id: string) => LogLine {
  const looks = new Map<string, Look>();
  return (event, id) => {
    const source = `${event.attempt} ${event.stream} ${event.step ?? ''}`;
    const { spans, look } = readAnsiFrom(event.message, looks.get(source) ?? {});
    looks.set(source, look);
    return { ...event, id, spans, plain: withoutAnsi(event.message).toLowerCase() };
  };
}

function gather(onLines: LogListener['onLines'], signal: AbortSignal): (line: LogLine) => void {
  let waiting: LogLine[] = [];
  return (line) => {
    waiting.push(line);
    if (waiting.length > 1) return;
    setTimeout(() => {
      const lines = waiting;
      waiting = [];
      if (!signal.aborted) onLines(lines);
    }, GATHER_MS);
  };
}
