import { useState } from 'preact/hooks';
import { listProjects, searchLogs } from '../../../generated/runs/sdk/sdk.gen.ts';
import type { FoundLine, RunState } from '../../../generated/runs/sdk/types.gen.ts';
import { withoutAnsi } from '../shared/ansi.ts';
import { ask } from '../shared/ask.ts';
import { dateTime } from '../shared/format.ts';
import { Icon } from '../shared/icons.tsx';
import { Await, Choice, Empty, Page, Time } from '../shared/parts.tsx';
import { place, setQuery } from '../shared/router.ts';
import { useLoad } from '../shared/use-load.ts';
import { ownProjects } from './caller.ts';
import { State } from './list.tsx';
import { lineAt, runAt, shortId } from './places.ts';

const LIMIT = 50;
/** Least characters of a search. */
const MIN = 2;

/** Lines of the logs of all runs that have each of the words; a line leads to its context. */
export function SearchPage() {
  const { q = '', project = ownProjects.value?.[0] ?? '', state = '', before } = place.value.query;
  const [typed, setTyped] = useState(q);
  const projects = useLoad(async (signal) => (await ask(listProjects({ signal }))).data.map(({ id }) => id), []);
  const found = useLoad(async (signal) => (q.length < MIN ? undefined : ask(searchLogs({ signal, query: { q, limit: LIMIT, before, project_id: project || undefined, state: (state || undefined) as RunState | undefined } }))), [q, project, state, before]);
  return (
    <Page title="Search logs" about="Lines that have each of the words, of the newest runs first.">
      <div class="stack">
        <form onSubmit={(event) => { event.preventDefault(); setQuery({ q: typed.trim(), before: undefined }); }}>
          <div class="row">
            <div class="search-field grow"><Icon name="search" /><input type="search" aria-label="Words" placeholder="connection refused" minLength={MIN} maxLength={200} value={typed} onInput={(event) => setTyped(event.currentTarget.value)} /></div>
            <div><Choice label="Project" value={project} options={[...(ownProjects.value === undefined ? [['', 'all projects'] as const] : []), ...(projects.data ?? []).map((name) => [name, name] as const)]} onChange={(name) => setQuery({ project: name, before: undefined })} /></div>
            <div><Choice label="State of the run" value={state} options={[['', 'any state'], 'succeeded', 'failed', 'cancelled', 'running']} onChange={(name) => setQuery({ state: name, before: undefined })} /></div>
            <button class="primary" type="submit">Search</button>
          </div>
        </form>
        {q.length >= MIN && <Await of={found}>{(page) => page !== undefined && (
          <div class="stack">
            {page.data.length === 0 ? <Empty>{page.next_cursor === null ? 'No line has these words.' : 'No line was found yet.'}</Empty> : <Found lines={page.data} words={q} />}
            <div class="row apart">
              <span class="muted small">{page.next_cursor !== null && page.searched_until != null && `Runs since ${dateTime(page.searched_until)} were searched.`}</span>
              {page.next_cursor !== null && <button onClick={() => setQuery({ before: page.next_cursor! })}>Search older runs</button>}
            </div>
          </div>
        )}</Await>}
      </div>
    </Page>
  );
}

function Found({ lines, words }: { readonly lines: readonly FoundLine[]; readonly words: string }) {
  const runs = [...Map.groupBy(lines, ({ run_id: id }) => id).values()];
  return <ul class="results">{runs.map((own) => <RunFound key={own[0]!.run_id} lines={own} words={words.toLowerCase().split(/\s+/)} />)}</ul>;
}

function RunFound({ lines, words }: { readonly lines: readonly FoundLine[]; readonly words: readonly string[] }) {
  const { run_id: id, task, project_id: project, state } = lines[0]!;
  return (
    <li>
      <h2><a href={runAt(id)}>{task === '' ? 'run' : task}</a></h2>
      <div class="meta-line"><State of={state} /><span>{project}</span><code>{shortId(id)}</code></div>
      {lines.map((line) => (
        <a key={`${line.attempt} ${line.offset}`} class="passage" href={lineAt(id, `${line.attempt}-${line.offset}`)}>
          <code>{markedWords(withoutAnsi(line.message), words)}</code>
          <span class="small">{line.step != null && `${line.step}, `}<Time at={Date.parse(line.time) / 1000} /></span>
        </a>
      ))}
    </li>
  );
}

/** A text in which the words are marked, in upper or lower case. */
function markedWords(text: string, words: readonly string[]) {
  const parts = [];
  const lower = text.toLowerCase();
  let end = 0;
  for (;;) {
    const [at, length] = nextWord(lower, words, end);
    if (at < 0) return [...parts, text.slice(end)];
    parts.push(text.slice(end, at), <mark key={at}>{text.slice(at, at + length)}</mark>);
    end = at + length;
  }
}

function nextWord(text: string, words: readonly string[], from: number): readonly [at: number, length: number] {
  let [first, length] = [-1, 0];
  for (const word of words) {
    const at = word === '' ? -1 : text.indexOf(word, from);
    if (at >= 0 && (first < 0 || at < first)) [first, length] = [at, word.length];
  }
  return [first, length];
}
