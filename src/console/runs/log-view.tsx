import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { listRunAttempts } from '../../../generated/runs/sdk/sdk.gen.ts';
import type { Run, RunState } from '../../../generated/runs/sdk/types.gen.ts';
import type { Span } from '../shared/ansi.ts';
import { ask } from '../shared/ask.ts';
import { count, plural } from '../shared/format.ts';
import { Icon } from '../shared/icons.tsx';
import { Badge } from '../shared/parts.tsx';
import { place, setQuery } from '../shared/router.ts';
import { useLoad } from '../shared/use-load.ts';
import { followLog, type LogLine } from './follow-log.ts';
import { hasEnded } from './list.tsx';
import { lineAt } from './places.ts';
import { StepList } from './step-list.tsx';
import { stepsOf } from './steps.ts';

/** Most lines that are drawn; a button shows the lines before them. */
const DRAWN = 1500;
/** Lines that are drawn before the one that an address names. */
const BEFORE = 200;

interface LogViewProps {
  readonly run: Run;
  /** One attempt, or all from the current one on. */
  readonly attempt: number | undefined;
  readonly onState: (state: RunState) => void;
}

/**
 * The log of a run while it is written, with its colours, beside the list of its steps. It stays scrolled to the end
 * until the user scrolls up. The address may name a step, whose lines alone are shown, and a line.
 */
export function LogView({ run, attempt, onState }: LogViewProps) {
  const { id, state } = run;
  const { step = '', line: target } = place.value.query;
  const [lines, isConnected] = useLines(id, attempt, onState);
  const attempts = useLoad(async (signal) => (await ask(listRunAttempts({ signal, path: { id } }))).data, [id, state, run.attempt]);
  const [search, setSearch] = useState('');
  const shownAttempt = attempt ?? run.attempt;
  const steps = useMemo(() => stepsOf(lines, attempts.data ?? [], shownAttempt, hasEnded(state) || shownAttempt < run.attempt), [lines, attempts.data, shownAttempt, state, run.attempt]);
  const wanted = search.trim().toLowerCase();
  const found = useMemo(() => lines.filter((line) => (step === '' || line.step === step) && line.plain.includes(wanted)), [lines, wanted, step]);
  const isFiltered = wanted !== '' || step !== '';
  return (
    <section class={steps.length > 0 ? 'log-page' : ''}>
      {steps.length > 0 && <StepList steps={steps} chosen={step} onChoose={(name) => setQuery({ step: name === step ? '' : name, line: undefined })} />}
      <div class="stack">
        <div class="row">
          <div class="search-field grow"><Icon name="search" /><input type="search" aria-label="Search the log" placeholder={step === '' ? 'Search the log' : `Search the lines of ${step}`} value={search} onInput={(event) => setSearch(event.currentTarget.value)} /></div>
          <span class="muted small" role="status">{isFiltered ? `${count(found.length)} of ${plural(lines.length, 'line')}` : plural(lines.length, 'line')}</span>
          {!isConnected && <Badge tone="warn">connecting again…</Badge>}
        </div>
        <Lines run={id} lines={found} wanted={wanted} target={target} onContext={() => setSearch('')} />
      </div>
    </section>
  );
}

function useLines(id: string, attempt: number | undefined, onState: (state: RunState) => void): [lines: readonly LogLine[], isConnected: boolean] {
  const [lines, setLines] = useState<readonly LogLine[]>([]);
  const [isConnected, setConnected] = useState(true);
  useEffect(() => {
    const stop = new AbortController();
    setLines([]);
    void followLog(id, attempt, { onLines: (more) => setLines((before) => [...before, ...more]), onState, onConnected: setConnected }, stop.signal);
    return () => stop.abort();
  }, [id, attempt]);
  return [lines, isConnected];
}

/** Distance from the end, in pixels, that still counts as the end. */
const AT_END = 40;

interface LinesProps {
  readonly run: string;
  readonly lines: readonly LogLine[];
  readonly wanted: string;
  /** Id of the line that the address names. */
  readonly target: string | undefined;
  readonly onContext: () => void;
}

function Lines({ run, lines, wanted, target, onContext }: LinesProps) {
  const element = useRef<HTMLDivElement>(null);
  const keepsToEnd = useRef(true);
  const [drawn, setDrawn] = useState(DRAWN);
  const at = useMemo(() => (target === undefined ? -1 : lines.findIndex(({ id }) => id === target)), [lines, target]);
  const first = Math.max(0, Math.min(lines.length - drawn, at < 0 ? Infinity : at - BEFORE));
  useLayoutEffect(() => {
    if (keepsToEnd.current) element.current!.scrollTop = element.current!.scrollHeight;
  }, [lines]);
  useLayoutEffect(() => {
    if (at < 0) return;
    keepsToEnd.current = false;
    element.current!.querySelector('.at')?.scrollIntoView({ block: 'center' });
  }, [at >= 0, target]);
  const onScroll = (): void => {
    const { scrollTop, scrollHeight, clientHeight } = element.current!;
    keepsToEnd.current = scrollHeight - scrollTop - clientHeight < AT_END;
  };
  return (
    <div class={wanted === '' ? 'log' : 'log found'} ref={element} role="log" aria-label="Log" tabIndex={0} onScroll={onScroll}>
      {first > 0 && <button class="plain" onClick={() => setDrawn(drawn + DRAWN)}>Show earlier lines ({count(first)})</button>}
      {lines.slice(first).map((line) => <Line key={line.id} run={run} line={line} wanted={wanted} isTarget={line.id === target} onContext={onContext} />)}
    </div>
  );
}

const CLOCK = new Intl.DateTimeFormat('en-GB', { timeStyle: 'medium' });

interface LineProps {
  readonly run: string;
  readonly line: LogLine;
  readonly wanted: string;
  readonly isTarget: boolean;
  readonly onContext: () => void;
}

/** The time is a link to the line among all others: it can be shared, and leads from a search to the context. */
function Line({ run, line: { id, time, spans, stream }, wanted, isTarget, onContext }: LineProps) {
  return (
    <div class={`line ${stream}${isTarget ? ' at' : ''}`}>
      <a href={lineAt(run, id)} title={wanted === '' ? 'Link to this line' : 'Show this line in its context'} onClick={onContext}><time dateTime={time}>{CLOCK.format(Date.parse(time))}</time></a>
      <span>{spans.map((span, index) => <span key={index} style={styleOf(span)}>{marked(span.text, wanted)}</span>)}</span>
    </div>
  );
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
