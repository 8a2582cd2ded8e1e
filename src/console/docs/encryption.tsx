import { getEncryptionStatus, listEncryptionJobs, rotateEncryption } from '../../../generated/docs/sdk/sdk.gen.ts';
import type { EncryptionJob } from '../../../generated/docs/sdk/types.gen.ts';
import { ask } from '../shared/ask.ts';
import { count } from '../shared/format.ts';
import { Await, Badge, Confirm, Empty, Facts, Page, Table, Time, type Tone } from '../shared/parts.tsx';
import { attempt } from '../shared/toasts.tsx';
import { useLoad, useRefresh } from '../shared/use-load.ts';

const TONES: Readonly<Record<EncryptionJob['status'], Tone>> = { queued: '', running: 'busy', completed: 'good', failed: 'bad' };
const REFRESH_MS = 2000;

export function EncryptionPage() {
  const status = useLoad(async (signal) => ask(getEncryptionStatus({ signal })), []);
  const jobs = useLoad(async (signal) => ask(listEncryptionJobs({ signal })), []);
  const reload = (): void => {
    status.reload();
    jobs.reload();
  };
  const isRotating = jobs.data?.jobs.some(({ status: state }) => state === 'queued' || state === 'running') ?? false;
  useRefresh(jobs, REFRESH_MS, isRotating);
  useRefresh(status, REFRESH_MS, isRotating);
  const rotate = (): Promise<unknown> => attempt(() => ask(rotateEncryption({ body: {} })), 'The rotation has begun').then(reload);
  return (
    <Page title="Encryption" about="What is encrypted in the database, and with which key." actions={status.data?.enabled === true && <Confirm label="Rotate" says="Encrypts everything that has an older key with the primary one." onConfirm={rotate} />}>
      <Await of={status}>{({ enabled, primaryKeyID, previousKeyIDs, collections }) => (!enabled ? <Empty>Encryption is off. It is on with SVC_ENCRYPTION_KEY.</Empty> : (
        <div class="stack">
          <Facts of={[['Primary key', primaryKeyID], ['Earlier keys', previousKeyIDs.length === 0 ? 'none' : previousKeyIDs.join(', ')]]} />
          <Table label="Collections" columns={['Collection', 'State', 'Entries#', 'Primary key#', 'Earlier keys#', 'Plain#', 'Unknown key#']}>
            {collections.map(({ collection, encrypted, total, withPrimary, withLegacy, plaintext, unknownKey }) => (
              <tr key={collection}><td>{collection}</td><td>{encrypted ? <Badge tone="good">encrypted</Badge> : <Badge>plain</Badge>}</td>{[total, withPrimary, withLegacy, plaintext, unknownKey].map((value, index) => <td key={index} class="num">{count(value)}</td>)}</tr>
            ))}
          </Table>
        </div>
      ))}</Await>
      <Await of={jobs}>{({ jobs: list }) => list.length > 0 && (
        <section>
          <h2>Rotations</h2>
          <Table label="Rotations" columns={['State', 'Collection', 'Key#', 'Read#', 'Encrypted#', 'Errors#', 'Begun']}>
            {list.map(({ id, status: state, collection, primaryKeyID, scanned, reencrypted, errors, startedAt }) => (
              <tr key={id}><td><Badge tone={TONES[state]}>{state}</Badge></td><td>{collection === '' ? 'all' : collection}</td>{[primaryKeyID, scanned, reencrypted, errors].map((value, index) => <td key={index} class="num">{count(value)}</td>)}<td><Time at={startedAt} /></td></tr>
            ))}
          </Table>
        </section>
      )}</Await>
    </Page>
  );
}
