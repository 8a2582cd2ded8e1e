import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { RunState } from '../../../generated/runs/sdk/types.gen.ts';
import { readAnsi, withoutAnsi, type Span } from '../shared/ansi.ts';
import { count, plural } from '../shared/format.ts';
import { Icon } from '../shared/icons.tsx';
import { Badge } from '../shared/parts.tsx';
import { followLog, type LogLine } from './follow-log.ts';

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
