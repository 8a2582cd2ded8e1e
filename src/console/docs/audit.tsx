import { useState } from 'preact/hooks';
import { listAuditEvents, listAuditExporters } from '../../../generated/docs/sdk/sdk.gen.ts';
import type { AuditExporter } from '../../../generated/docs/sdk/types.gen.ts';
import { ask, RequestError } from '../shared/ask.ts';
import { count } from '../shared/format.ts';
import { Await, Badge, Choice, Empty, Field, Page, Table, Time } from '../shared/parts.tsx';
import { useLoad, useSettled } from '../shared/use-load.ts';

const LINES = 100;

export function AuditPage() {
  const list = useLoad(async (signal) => ask(listAuditExporters({ signal })).catch(absentWhileOff), []);
  return (
    <Page title="Audit" about="Who did what, the newest first.">
      <Await of={list}>{(exporters) => (exporters === null ? <Empty>The audit log is off. It is on with SVC_AUDIT_ENABLED.</Empty> : (
        <div class="stack">
          <Events />
          {exporters.exporters.length > 0 && <Exporters of={exporters.exporters} />}
        </div>
      ))}</Await>
    </Page>
  );
}

function absentWhileOff(error: unknown): null {
  if (error instanceof RequestError && error.status === 404) return null;
  throw error;
}

function Events() {
  const [actor, setActor] = useState('');
  const [action, setAction] = useState('');
  const [result, setResult] = useState<'' | 'ok' | 'fail'>('');
  const wanted = useSettled(JSON.stringify({ actor: actor || undefined, action: action || undefined, result: result || undefined }), 200);
  const events = useLoad(async (signal) => ask(listAuditEvents({ signal, query: { ...(JSON.parse(wanted) as { actor?: string; action?: string; result?: 'ok' | 'fail' }), limit: LINES } })), [wanted]);
  return (
    <>
      <div class="form">
        <Field label="Who"><input type="search" value={actor} onInput={(event) => setActor(event.currentTarget.value)} /></Field>
        <Field label="Action"><input type="search" value={action} onInput={(event) => setAction(event.currentTarget.value)} /></Field>
        <Field label="Result"><Choice value={result} options={[['', 'any'], ['ok', 'done'], ['fail', 'refused or failed']]} onChange={setResult} /></Field>
      </div>
      <div class="row end"><button onClick={events.reload}>Refresh</button></div>
      <Await of={events}>{(data) => (data.events.length === 0 ? <Empty>No such event was recorded.</Empty> : (
        <Table label="Events" columns={['When', 'Who', 'Action', 'On', 'Result', 'From']}>
          {data.events.map((event, index) => (
            <tr key={index}><td><Time at={event.ts / 1e9} /></td><td>{event.actor}</td><td class="nowrap">{event.action}</td><td>{event.resource}{event.collection !== undefined && <div class="small muted">{[event.collection, event.key, event.lang].filter((part) => part !== undefined).join(' · ')}</div>}</td><td>{event.result === 'ok' ? <Badge tone="good">done</Badge> : <Badge tone="bad">failed</Badge>}</td><td class="nowrap">{event.ip}</td></tr>
          ))}
        </Table>
      ))}</Await>
    </>
  );
}

function Exporters({ of }: { readonly of: readonly AuditExporter[] }) {
  return (
    <section>
      <h2>Export</h2>
      <Table label="Export" columns={['To', 'Target', 'Waiting#', 'Delivered#', 'Failed#', 'Dropped#']}>
        {of.map(({ name, target, queued, delivered, failed, dropped }) => (
          <tr key={name}><td>{name}</td><td>{target}</td>{[queued, delivered, failed, dropped].map((value, index) => <td key={index} class="num">{count(value)}</td>)}</tr>
        ))}
      </Table>
    </section>
  );
}
