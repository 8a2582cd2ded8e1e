import { useState } from 'preact/hooks';
import { deleteSession, getSessionHistory, listSessions, recallMemory } from '../../../generated/docs/sdk/sdk.gen.ts';
import { ask } from '../shared/ask.ts';
import { count } from '../shared/format.ts';
import { Icon } from '../shared/icons.tsx';
import { Markdown } from '../shared/markdown.tsx';
import { Await, Badge, Confirm, Empty, Page, Table, Time } from '../shared/parts.tsx';
import { go, href } from '../shared/router.ts';
import { attempt } from '../shared/toasts.tsx';
import { useLoad, useSettled } from '../shared/use-load.ts';
import type { PageOf } from './pages.tsx';

const SESSIONS = 100;
const MESSAGES = 200;

export function MemoryPage({ path: [session] }: PageOf) {
  return session === undefined ? <Sessions /> : <Session id={session} />;
}

function Sessions() {
  const [typed, setTyped] = useState('');
  const query = useSettled(typed.trim(), 200);
  const list = useLoad(async (signal) => ask(listSessions({ signal, body: { limit: SESSIONS } })), []);
  return (
    <Page title="Memory" about="Conversations that are remembered.">
      <div class="stack">
        <div class="search-field"><Icon name="search" /><input type="search" aria-label="Recall messages" placeholder="Recall what was said" value={typed} onInput={(event) => setTyped(event.currentTarget.value)} /></div>
        {query === '' ? <Await of={list}>{({ sessions }) => (sessions.length === 0 ? <Empty>Nothing is remembered yet. Agents open conversations with memory/session.</Empty> : (
          <Table label="Conversations" columns={['Title', 'User', 'Scenario', 'Messages#', 'Last']}>
            {sessions.map(({ sessionId, title, userId, scenario, messageCount, updatedAt }) => (
              <tr key={sessionId}><td><a href={href(['memory', sessionId])}>{title}</a></td><td>{userId}</td><td>{scenario}</td><td class="num">{count(messageCount)}</td><td><Time at={updatedAt} /></td></tr>
            ))}
          </Table>
        ))}</Await> : <Recalled query={query} />}
      </div>
    </Page>
  );
}

function Recalled({ query }: { readonly query: string }) {
  const found = useLoad(async (signal) => ask(recallMemory({ signal, body: { query, includeContent: true } })), [query]);
  return (
    <Await of={found}>{({ results }) => (results.length === 0 ? <Empty>Nothing like that was said.</Empty> : (
      <ol class="results">
        {results.map(({ document, sessionId, role }) => (
          <li key={document.id}><h2><a href={href(['memory', sessionId])}>{role === '' ? 'summary' : role}</a></h2><p>{document.contentMd?.slice(0, 400)}</p></li>
        ))}
      </ol>
    ))}</Await>
  );
}

function Session({ id }: { readonly id: string }) {
  const history = useLoad(async (signal) => ask(getSessionHistory({ signal, body: { sessionId: id, limit: MESSAGES } })), [id]);
  const remove = async (): Promise<void> => {
    if (await attempt(() => ask(deleteSession({ path: { id } })), 'The conversation was deleted')) go(['memory']);
  };
  return (
    <Page title="Conversation" about={id} crumbs={[['Memory', '#/memory']]} actions={<Confirm label="Delete" icon="trash" says="Deletes the conversation with all its messages." onConfirm={remove} />}>
      <Await of={history}>{({ messages, total }) => (
        <div class="stack">
          {total > messages.length && <p class="muted">The first {messages.length} of {count(total)} messages.</p>}
          {messages.map(({ id: message, meta, contentMd, addedAt }) => (
            <article key={message} class={`message ${meta['role']?.[0] ?? ''}`}><header><Badge>{meta['role']?.[0] ?? 'message'}</Badge> <Time at={addedAt} /></header><Markdown text={contentMd} /></article>
          ))}
        </div>
      )}</Await>
    </Page>
  );
}
