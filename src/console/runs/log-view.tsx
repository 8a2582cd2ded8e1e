import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { LogEvent, RunState } from '../../../generated/runs/sdk/types.gen.ts';
import { readAnsi, type Span, withoutAnsi } from '../shared/ansi.ts';
import { count, plural } from '../shared/format.ts';
import { Icon } from '../shared/icons.tsx';
import { Badge } from '../shared/parts.tsx';
import { streamRunLogs } from '../../../generated/runs/sdk/sdk.gen.ts';

/** Most lines that are drawn; a button shows the lines before them. */
const DRAWN = 1500;

interface LogViewProps {
  readonly run: string;
  /** One attempt, or all from the current one on. */
  readonly attempt: number | undefined;
  readonly onState: (state: RunState) => void;
}

/** The log of a run while it is written, with its colours. It stays scrolled to the end until the user scrolls up. */
export function LogView({ run, attempt, onState }: LogViewProps) {
  const [lines, setLines] = useState<readonly LogLine[]>([]);
  const [isConnected, setConnected] = useState(true);
  const [search, setSearch] = useState('');
  const [drawn, setDrawn] = useState(DRAWN);
  useEffect(() => {
    const stop = new AbortController();
    setLines([]);
    void followLog(run, attempt, { onLines: (more) => setLines((before) => [...before, ...more]), onState, onConnected: setConnected }, stop.signal);
    return () => stop.abort();
  }, [run, attempt]);
  const wanted = search.trim().toLowerCase();
  const found = useMemo(() => (wanted === '' ? lines : lines.filter(({ message }) => withoutAnsi(message).toLowerCase().includes(wanted))), [lines, wanted]);
  const shown = found.slice(-drawn);
  return (
    <section class="stack">
      <div class="row">
        <div class="search-field grow"><Icon name="search" /><input type="search" aria-label="Search the log" placeholder="Search the log" value={search} onInput={(event) => setSearch(event.currentTarget.value)} /></div>
        <span class="muted small" role="status">{wanted === '' ? plural(lines.length, 'line') : `${count(found.length)} of ${plural(lines.length, 'line')}`}</span>
        {!isConnected && <Badge tone="warn">connecting again…</Badge>}
      </div>
      <Lines lines={shown} wanted={wanted} before={found.length - shown.length} onMore={() => setDrawn(drawn + DRAWN)} />
    </section>
  );
}

/** Distance from the end, in pixels, that still counts as the end. */
const AT_END = 40;

function Lines({ lines, wanted, before, onMore }: { readonly lines: readonly LogLine[]; readonly wanted: string; readonly before: number; readonly onMore: () => void }) {
  const element = useRef<HTMLDivElement>(null);
  const keepsToEnd = useRef(true);
  useLayoutEffect(() => {
    if (keepsToEnd.current) element.current!.scrollTop = element.current!.scrollHeight;
  }, [lines]);
  const onScroll = (): void => {
    const { scrollTop, scrollHeight, clientHeight } = element.current!;
    keepsToEnd.current = scrollHeight - scrollTop - clientHeight < AT_END;
  };
  return (
    <div class="log" ref={element} role="log" aria-label="Log" tabIndex={0} onScroll={onScroll}>
      {before > 0 && <button class="plain" onClick={onMore}>Show earlier lines ({count(before)})</button>}
      {lines.map((line) => <Line key={line.id} line={line} wanted={wanted} />)}
    </div>
  );
}

const CLOCK = new Intl.DateTimeFormat('en-GB', { timeStyle: 'medium' });

function Line({ line: { time, message, stream }, wanted }: { readonly line: LogLine; readonly wanted: string }) {
  const spans = useMemo(() => readAnsi(message), [message]);
  return <div class={`line ${stream}`}><time dateTime={time}>{CLOCK.format(Date.parse(time))}</time><span>{spans.map((span, index) => <span key={index} style={styleOf(span)}>{marked(span.text, wanted)}</span>)}</span></div>;
}

function styleOf({ color, background, isBold, isDim, isUnderlined }: Span): Record<string, string> {
  return { ...(color !== undefined && { color }), ...(background !== undefined && { background }), ...(isBold === true && { fontWeight: '700' }), ...(isDim === true && { opacity: '0.75' }), ...(isUnderlined === true && { textDecoration: 'underline' }) };
}

function marked(text: string, wanted: string) {
  if (wanted === '') return text;
  const parts = [];
  let end = 0;
  for (let at = text.toLowerCase().indexOf(wanted); at >= 0; at = text.toLowerCase().indexOf(wanted, end)) {
    parts.push(text.slice(end, at), <mark key={at}>{text.slice(at, at + wanted.length)}</mark>);
    end = at + wanted.length;
  }
  return [...parts, text.slice(end)];
}

/** A line of a log with its position: the attempt and the offset in it. */
interface LogLine extends LogEvent {
  readonly id: string;
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
async function followLog(id: string, attempt: number | undefined, { onLines, onState, onConnected }: LogListener,
  signal: AbortSignal): Promise<void>
{
  const gathered = gather(onLines, signal);
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
          gathered({ ...(data as unknown as LogEvent), id: place ?? '' });
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
