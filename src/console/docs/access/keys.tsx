import { useState } from 'preact/hooks';
import { createApiKey, createMcpKey, deleteApiKey, listApiKeys, listMcpKeys } from '../../../../generated/docs/sdk/sdk.gen.ts';
import { ask } from '../../shared/ask.ts';
import { Await, Badge, Confirm, Dialog, Empty, Table, Time } from '../../shared/parts.tsx';
import { attempt } from '../../shared/toasts.tsx';
import { useLoad } from '../../shared/use-load.ts';

/** Keys that act as the person who is signed in. */
export function ApiKeys() {
  const list = useLoad(async (signal) => ask(listApiKeys({ signal })), []);
  return (
    <div class="stack">
      <NewKey what="What the key is for" make={async (description) => (await ask(createApiKey({ body: { description } }))).key} onDone={list.reload} />
      <Await of={list}>{({ keys }) => (keys.length === 0 ? <Empty>You have no API keys.</Empty> : (
        <Table label="API keys" columns={['For', 'Made', 'Used', 'Expires', '']}>
          {keys.map(({ keyHash, description, createdAt, lastUsedAt, expiresAt }) => (
            <tr key={keyHash}>
              <td>{description === '' ? <code>{keyHash.slice(0, 12)}</code> : description}</td><td><Time at={createdAt} /></td><td><Time at={lastUsedAt} /></td><td><Time at={expiresAt} /></td>
              <td><div class="row end"><Confirm label="Delete" says="Programs that use the key are refused from now on." onConfirm={() => attempt(() => ask(deleteApiKey({ path: { keyHash } })), 'The key was deleted').then(list.reload)} /></div></td>
            </tr>
          ))}
        </Table>
      ))}</Await>
    </div>
  );
}

export function McpKeys() {
  const list = useLoad(async (signal) => ask(listMcpKeys({ signal })), []);
  return (
    <div class="stack">
      <NewKey what="Name of the key" make={async (name) => (await ask(createMcpKey({ body: { name } }))).key} onDone={list.reload} />
      <Await of={list}>{({ keys }) => (keys.length === 0 ? <Empty>There are no MCP keys.</Empty> : (
        <Table label="MCP keys" columns={['Name', 'Fingerprint', 'Made', 'Expires', 'State']}>
          {keys.map(({ fingerprint, name, createdAt, expiresAt, disabled }) => (
            <tr key={fingerprint}><td>{name}</td><td><code>{fingerprint.slice(0, 16)}</code></td><td><Time at={createdAt} /></td><td><Time at={expiresAt} /></td><td>{disabled ? <Badge tone="warn">disabled</Badge> : <Badge tone="good">active</Badge>}</td></tr>
          ))}
        </Table>
      ))}</Await>
    </div>
  );
}

interface NewKeyProps {
  readonly what: string;
  /** Makes a key with this text and returns it. */
  readonly make: (text: string) => Promise<string>;
  readonly onDone: () => void;
}

/** The service shows a key once. */
function NewKey({ what, make, onDone }: NewKeyProps) {
  const [text, setText] = useState('');
  const [made, setMade] = useState<string>();
  const create = (): Promise<unknown> => attempt(async () => {
    setMade(await make(text));
    setText('');
    onDone();
  });
  return (
    <form class="row" onSubmit={(event) => { event.preventDefault(); void create(); }}>
      <div class="grow"><input required aria-label={what} placeholder={what} value={text} onInput={(event) => setText(event.currentTarget.value)} /></div>
      <button class="primary" type="submit">Make a key</button>
      {made !== undefined && (
        <Dialog title="The new key" onClose={() => setMade(undefined)}>
          <p>Keep it now: it is not shown again.</p>
          <pre class="code">{made}</pre>
          {'clipboard' in navigator && <div class="row end"><button type="button" onClick={() => void attempt(() => navigator.clipboard.writeText(made), 'Copied')}>Copy</button></div>}
        </Dialog>
      )}
    </form>
  );
}
