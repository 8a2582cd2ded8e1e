import { useState } from 'preact/hooks';
import { createWebhook, deleteWebhook, listWebhookDeadLetters, listWebhooks, redeliverWebhooks, testWebhook, updateWebhook } from '../../../generated/docs/sdk/sdk.gen.ts';
import type { Webhook } from '../../../generated/docs/sdk/types.gen.ts';
import { ask } from '../shared/ask.ts';
import { count } from '../shared/format.ts';
import { Icon } from '../shared/icons.tsx';
import { Await, Badge, Confirm, Dialog, Empty, Facts, Field, Page, Table, Time } from '../shared/parts.tsx';
import { attempt } from '../shared/toasts.tsx';
import { useLoad } from '../shared/use-load.ts';

export function WebhooksPage() {
  const list = useLoad(async (signal) => ask(listWebhooks({ signal })), []);
  const letters = useLoad(async (signal) => ask(listWebhookDeadLetters({ signal })), []);
  const [isNew, setIsNew] = useState(false);
  const reload = (): void => {
    list.reload();
    letters.reload();
  };
  return (
    <Page title="Webhooks" about="Addresses that receive changes." actions={<button class="primary" onClick={() => setIsNew(true)}><Icon name="plus" />New webhook</button>}>
      <div class="stack">
        <Await of={list}>{(hooks) => (hooks.length === 0 ? <Empty>No address receives changes.</Empty> : (
          <Table label="Webhooks" columns={['Address', 'Events', 'Collection', 'State', 'Dead letters#', '']}>{hooks.map((hook) => <Hook key={hook.id} hook={hook} onChange={reload} />)}</Table>
        ))}</Await>
        <Await of={letters}>{({ deadLetters }) => deadLetters.length > 0 && (
          <section>
            <h2>Dead letters</h2>
            <Table label="Dead letters" columns={['Document', 'Event', 'Attempts#', 'Error', 'Given up', '']}>
              {deadLetters.map(({ deliveryId, docId, event, attempts, error, failedAt }) => (
                <tr key={deliveryId}><td>{docId}</td><td>{event}</td><td class="num">{attempts}</td><td>{error}</td><td><Time at={failedAt} /></td>
                  <td><button onClick={() => void attempt(() => ask(redeliverWebhooks({ body: { deliveryId } })), 'Queued again').then(reload)}>Deliver again</button></td></tr>
              ))}
            </Table>
          </section>
        )}</Await>
      </div>
      {isNew && <NewWebhook onClose={() => setIsNew(false)} onDone={reload} />}
    </Page>
  );
}

function Hook({ hook: { id, url, events, collection, paused, pauseReason, lastError, deadLetters }, onChange }: { readonly hook: Webhook; readonly onChange: () => void }) {
  const [tests, setTests] = useState(false);
  const change = (action: () => Promise<unknown>, done: string) => async (): Promise<void> => {
    if (await attempt(action, done)) onChange();
  };
  return (
    <tr>
      <td>{url}{lastError !== undefined && <div class="small muted">{lastError}</div>}</td>
      <td>{events.join(', ')}</td>
      <td>{collection === '' ? 'all' : collection}</td>
      <td>{paused ? <Badge tone="warn">{pauseReason === 'failing' ? 'paused: failing' : 'paused'}</Badge> : <Badge tone="good">active</Badge>}</td>
      <td class="num">{count(deadLetters)}</td>
      <td><div class="row end">
        <button onClick={() => setTests(true)}>Test</button>
        <button onClick={change(() => ask(updateWebhook({ body: { id, paused: !paused } })), paused ? 'Resumed' : 'Paused')}>{paused ? 'Resume' : 'Pause'}</button>
        <Confirm label="Delete" says={`Deletes the webhook to ${url}, with its dead letters.`} onConfirm={change(() => ask(deleteWebhook({ body: { id } })), 'The webhook was deleted')} />
      </div>{tests && <TestRun id={id} onClose={() => setTests(false)} />}</td>
    </tr>
  );
}

/** Sends one delivery that says that it is a test, and shows what came back. */
function TestRun({ id, onClose }: { readonly id: string; readonly onClose: () => void }) {
  const run = useLoad(async (signal) => ask(testWebhook({ signal, body: { id } })), [id]);
  return (
    <Dialog title="Test of the webhook" onClose={onClose}>
      <Await of={run}>{({ deliveryId, url, ok, httpStatus, error, durationMs }) => (
        <Facts of={[
          ['Result', ok ? <Badge tone="good">accepted</Badge> : <Badge tone="bad">failed</Badge>],
          ['Response', error ?? `HTTP status ${httpStatus}`], ['Time', `${count(durationMs)} ms`], ['Address', url], ['Delivery', deliveryId],
        ]} />
      )}</Await>
    </Dialog>
  );
}

const EVENTS = ['doc.added', 'doc.updated', 'doc.deleted'];

function NewWebhook({ onClose, onDone }: { readonly onClose: () => void; readonly onDone: () => void }) {
  const [url, setUrl] = useState('');
  const [collection, setCollection] = useState('');
  const [secret, setSecret] = useState('');
  const [events, setEvents] = useState<readonly string[]>(EVENTS);
  const create = async (): Promise<void> => {
    const body = { url, events: [...events], collection: collection || undefined, secret: secret || undefined };
    if (!await attempt(() => ask(createWebhook({ body })), 'The webhook was registered')) return;
    onClose();
    onDone();
  };
  return (
    <Dialog title="New webhook" onClose={onClose}>
      <form class="stack" onSubmit={(event) => { event.preventDefault(); void create(); }}>
        <Field label="Address"><input type="url" required autoFocus placeholder="https://" value={url} onInput={(event) => setUrl(event.currentTarget.value)} /></Field>
        <div class="row">{EVENTS.map((name) => <label class="check" key={name}><input type="checkbox" checked={events.includes(name)} onChange={() => setEvents(events.includes(name) ? events.filter((other) => other !== name) : [...events, name])} />{name}</label>)}</div>
        <Field label="Collection" hint="Empty for all"><input value={collection} onInput={(event) => setCollection(event.currentTarget.value)} /></Field>
        <Field label="Secret" hint="Signs each delivery"><input type="password" autoComplete="off" value={secret} onInput={(event) => setSecret(event.currentTarget.value)} /></Field>
        <div class="row end"><button type="button" onClick={onClose}>Cancel</button><button class="primary" type="submit" disabled={events.length === 0}>Create</button></div>
      </form>
    </Dialog>
  );
}
