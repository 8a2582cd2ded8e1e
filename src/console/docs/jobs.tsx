import { cancelBulkIngest, listBulkIngest } from '../../../generated/docs/sdk/sdk.gen.ts';
import type { BulkIngestJob } from '../../../generated/docs/sdk/types.gen.ts';
import { ask } from '../shared/ask.ts';
import { count } from '../shared/format.ts';
import { Await, Badge, Empty, Page, Table, Time, type Tone } from '../shared/parts.tsx';
import { attempt } from '../shared/toasts.tsx';
import { useLoad, useRefresh } from '../shared/use-load.ts';

const TONES: Readonly<Record<BulkIngestJob['status'], Tone>> = { pending: '', processing: 'busy', completed: 'good', failed: 'bad', cancelled: 'warn' };
const REFRESH_MS = 3000;

export function JobsPage() {
  const list = useLoad(async (signal) => ask(listBulkIngest({ signal })), []);
  useRefresh(list, REFRESH_MS, list.data?.jobs.some(({ status }) => status === 'pending' || status === 'processing') ?? false);
  return (
    <Page title="Jobs" about="Documents that are loaded in the background." actions={<button onClick={list.reload}>Refresh</button>}>
      <Await of={list}>{({ jobs }) => (jobs.length === 0 ? <Empty>No job was submitted lately.</Empty> : (
        <Table label="Jobs" columns={['Job', 'Collection', 'State', 'Progress', 'Failed#', 'Submitted', '']}>
          {jobs.map((job) => <Job key={job.id} job={job} onChange={list.reload} />)}
        </Table>
      ))}</Await>
    </Page>
  );
}

function Job({ job: { id, collection, status, total, processed, failed, errors, error, continuedAs, submittedAt }, onChange }: { readonly job: BulkIngestJob; readonly onChange: () => void }) {
  const cancel = async (): Promise<void> => {
    if (await attempt(() => ask(cancelBulkIngest({ path: { id } })), 'The job was cancelled')) onChange();
  };
  return (
    <tr>
      <td>
        <code>{id}</code>
        {(error ?? errors[0]) !== undefined && <div class="small muted">{error ?? errors[0]}</div>}
        {continuedAs !== undefined && <div class="small muted">Continued as <code>{continuedAs}</code></div>}
      </td>
      <td>{collection}</td>
      <td><Badge tone={TONES[status]}>{status}</Badge></td>
      <td>{count(processed)} of {count(total)}</td>
      <td class="num">{count(failed)}</td>
      <td><Time at={submittedAt} /></td>
      <td>{status === 'pending' && <button onClick={cancel}>Cancel</button>}</td>
    </tr>
  );
}
