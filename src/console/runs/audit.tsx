import { listAudit } from '../../../generated/runs/sdk/sdk.gen.ts';
import { ask } from '../shared/ask.ts';
import { Await, Empty, Page, Table, Time } from '../shared/parts.tsx';
import { place, setQuery } from '../shared/router.ts';
import { useLoad } from '../shared/use-load.ts';

export function AuditPage() {
  const { before } = place.value.query;
  const list = useLoad(async (signal) => ask(listAudit({ signal, query: { before } })), [before]);
  return (
    <Page title="Audit" about="Who did what, the newest first." actions={<button onClick={list.reload}>Refresh</button>}>
      <Await of={list}>{({ data, next_cursor: next }) => (data.length === 0 ? <Empty>There are no entries yet.</Empty> : (
        <div class="stack">
          <Table label="Entries" isBrief columns={['When', 'Who', 'Action', 'Target', 'Detail']}>
            {data.map(({ at, actor, action, target, detail }, index) => (
              <tr key={index}><td class="top when"><Time at={at} /></td><td class="top">{actor}</td><td class="top">{action}</td><td><code>{target}</code></td><td class="small muted">{Object.entries(detail).map(([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`).join(', ')}</td></tr>
            ))}
          </Table>
          <div class="row apart">
            {before === undefined ? <span /> : <button onClick={() => setQuery({ before: undefined })}>Newest</button>}
            {next != null && <button onClick={() => setQuery({ before: next })}>Older</button>}
          </div>
        </div>
      ))}</Await>
    </Page>
  );
}
