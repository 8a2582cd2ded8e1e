import { useState } from 'preact/hooks';
import { Await, Badge, Choice, Confirm, Dialog, Empty, Field, Page, Table, Tabs, Time } from '../../shared/parts.tsx';
import { place, setQuery } from '../../shared/router.ts';
import { isAdmin, sessionOf } from '../session-life.ts';
import { Groups, Roles, Users } from './users.tsx';
import { changePassword, createApiKey, createMcpKey, deleteApiKey, listApiKeys, listMcpKeys, revokeApiKey } from '../../../../generated/docs/sdk/sdk.gen.ts';
import { ask } from '../../shared/ask.ts';
import { renew } from '../../shared/session.ts';
import { attempt } from '../../shared/toasts.tsx';
import { useLoad } from '../../shared/use-load.ts';

const TABS = [['users', 'Users'], ['groups', 'Groups'], ['roles', 'Roles'], ['keys', 'API keys'], ['password', 'My password'], ['mcp', 'MCP keys']] as const;
type Tab = (typeof TABS)[number][0];

const VIEWS = { users: Users, groups: Groups, roles: Roles, keys: ApiKeys, password: Password, mcp: McpKeys };

export function AccessPage() {
  const tabs = TABS.filter(([name]) => isAdmin.value || name === 'keys' || name === 'password');
  const first = tabs[0]![0];
  const tab = (place.value.query['tab'] ?? first) as Tab;
  const View = VIEWS[tab] ?? VIEWS[first];
  return (
    <Page title="Access" about="Who may read and write which collection.">
      <Tabs label="Access" value={tab} options={tabs} onChange={(name) => setQuery({ tab: name === first ? undefined : name, of: undefined })} />
      <View />
    </Page>
  );
}

/** Changes the password of the signed-in user, and ends the user's other sessions. */
function Password() {
  const [oldPassword, setOld] = useState('');
  const [newPassword, setNew] = useState('');
  const save = (): Promise<unknown> => attempt(async () => {
    renew(sessionOf(await ask(changePassword({ body: { oldPassword, newPassword } }))));
    setOld('');
    setNew('');
  }, 'The password was changed');
  return (
    <form class="stack" onSubmit={(event) => { event.preventDefault(); void save(); }}>
      <Field label="Present password"><input type="password" required autoComplete="current-password" value={oldPassword} onInput={(event) => setOld(event.currentTarget.value)} /></Field>
      <Field label="New password" hint="Signs you out everywhere else"><input type="password" required autoComplete="new-password" value={newPassword} onInput={(event) => setNew(event.currentTarget.value)} /></Field>
      <div class="row end"><button class="primary" type="submit">Change the password</button></div>
    </form>
  );
}

/** Keys that act as the signed-in user; administrators also see, revoke and delete those of others. */
function ApiKeys() {
  const { of = '' } = place.value.query;
  const list = useLoad(async (signal) => ask(listApiKeys({ signal, query: { username: of || undefined } })), [of]);
  const named = of === '' || of === '*' ? [] : [of];
  return (
    <div class="stack">
      {isAdmin.value && <div class="narrow"><Choice label="Whose keys" value={of} options={[['', 'My keys'], ['*', 'Keys of all users'], ...named.map((name) => [name, `Keys of ${name}`] as const)]} onChange={(name) => setQuery({ of: name })} /></div>}
      {of === '' && <NewKey what="What the key is for" scoped make={async (description, scope) => (await ask(createApiKey({ body: { description, ...scope } }))).key} onDone={list.reload} />}
      <Await of={list}>{({ keys }) => (keys.length === 0 ? <Empty>{of === '' ? 'You have no API keys.' : 'There are none.'}</Empty> : (
        <Table label="API keys" columns={['For', ...(of === '' ? [] : ['Owner']), 'Good for', 'Made', 'Used', 'Expires', '']}>
          {keys.map(({ keyHash, username, description, createdAt, lastUsedAt, expiresAt, revokedAt, collections = [], operations = [] }) => (
            <tr key={keyHash}>
              <td>{description === '' ? <code>{keyHash.slice(0, 12)}</code> : description}</td>
              {of !== '' && <td>{username}</td>}
              <td>{revokedAt !== undefined ? <Badge tone="warn">revoked</Badge> : [...operations, ...collections].join(', ') || 'all that its owner may'}</td><td><Time at={createdAt} /></td><td><Time at={lastUsedAt} /></td><td><Time at={expiresAt} /></td>
              <td><div class="row end">{revokedAt === undefined && <Confirm label="Revoke" says="Programs that use the key are refused from now on; it stays in this list." onConfirm={() => attempt(() => ask(revokeApiKey({ path: { keyHash } })), 'The key was revoked').then(list.reload)} />}<Confirm label="Delete" says="Programs that use the key are refused from now on." onConfirm={() => attempt(() => ask(deleteApiKey({ path: { keyHash } })), 'The key was deleted').then(list.reload)} /></div></td>
            </tr>
          ))}
        </Table>
      ))}</Await>
    </div>
  );
}

function McpKeys() {
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

interface Scope {
  readonly collections?: string[];
  readonly operations?: string[];
}

interface NewKeyProps {
  readonly what: string;
  /** Creates a key with this name and returns it. */
  readonly make: (text: string, scope: Scope) => Promise<string>;
  /** Whether its permissions can be restricted. */
  readonly scoped?: boolean;
  readonly onDone: () => void;
}

/** The service shows a key only once. */
function NewKey({ what, make, scoped = false, onDone }: NewKeyProps) {
  const [text, setText] = useState('');
  const [operation, setOperation] = useState('');
  const [collections, setCollections] = useState('');
  const [made, setMade] = useState<string>();
  const create = (): Promise<unknown> => attempt(async () => {
    const names = collections.split(',').map((name) => name.trim()).filter((name) => name !== '');
    setMade(await make(text, { collections: names.length > 0 ? names : undefined, operations: operation === '' ? undefined : [operation] }));
    setText('');
    onDone();
  });
  return (
    <form class="row" onSubmit={(event) => { event.preventDefault(); void create(); }}>
      <div class="grow"><input required aria-label={what} placeholder={what} value={text} onInput={(event) => setText(event.currentTarget.value)} /></div>
      {scoped && (
        <>
          <select aria-label="Good for" value={operation} onChange={(event) => setOperation(event.currentTarget.value)}>
            <option value="">everything</option>
            {['search', 'read', 'write', 'admin'].map((name) => <option key={name} value={name}>{name}</option>)}
          </select>
          <input aria-label="Collections" placeholder="All collections" value={collections} onInput={(event) => setCollections(event.currentTarget.value)} />
        </>
      )}
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
