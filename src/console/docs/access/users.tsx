import { useState } from 'preact/hooks';
import { deleteUser, listPermissions, listUsers, registerUser, setPermission } from '../../../../generated/docs/sdk/sdk.gen.ts';
import { ask } from '../../shared/ask.ts';
import { Icon } from '../../shared/icons.tsx';
import { Await, Badge, Confirm, Dialog, Field, Table, Time } from '../../shared/parts.tsx';
import { attempt } from '../../shared/toasts.tsx';
import { useLoad } from '../../shared/use-load.ts';
import { Grants } from './grants.tsx';

export function Users() {
  const list = useLoad(async (signal) => ask(listUsers({ signal })), []);
  const [isNew, setIsNew] = useState(false);
  const [open, setOpen] = useState<string>();
  return (
    <div class="stack">
      <div class="row end"><button class="primary" onClick={() => setIsNew(true)}><Icon name="plus" />New user</button></div>
      <Await of={list}>{({ users }) => (
        <Table label="Users" columns={['Name', 'Groups', 'State', 'Since', '']}>
          {users.map(({ username, groups, admin, disabled, createdAt }) => (
            <tr key={username}>
              <td>{username}</td>
              <td>{groups.join(', ')}</td>
              <td>{disabled ? <Badge tone="warn">disabled</Badge> : admin ? <Badge tone="busy">administrator</Badge> : <Badge tone="good">active</Badge>}</td>
              <td><Time at={createdAt} /></td>
              <td><div class="row end">
                <button onClick={() => setOpen(username)}>Permissions</button>
                <Confirm label="Delete" says={`Deletes ${username}, with the keys and permissions of that name.`} onConfirm={() => attempt(() => ask(deleteUser({ path: { username } })), `${username} was deleted`).then(list.reload)} />
              </div></td>
            </tr>
          ))}
        </Table>
      )}</Await>
      {isNew && <NewUser onClose={() => setIsNew(false)} onDone={list.reload} />}
      {open !== undefined && <Permissions username={open} onClose={() => setOpen(undefined)} />}
    </div>
  );
}

function NewUser({ onClose, onDone }: { readonly onClose: () => void; readonly onDone: () => void }) {
  const [username, setUsername] = useState('');
  const [password, setPassword] = useState('');
  const [admin, setAdmin] = useState(false);
  const create = async (): Promise<void> => {
    if (!await attempt(() => ask(registerUser({ body: { username, password, admin } })), `${username} was created`)) return;
    onClose();
    onDone();
  };
  return (
    <Dialog title="New user" onClose={onClose}>
      <form class="stack" onSubmit={(event) => { event.preventDefault(); void create(); }}>
        <Field label="Name"><input required autoFocus autoComplete="off" value={username} onInput={(event) => setUsername(event.currentTarget.value)} /></Field>
        <Field label="Password"><input type="password" required autoComplete="new-password" value={password} onInput={(event) => setPassword(event.currentTarget.value)} /></Field>
        <label class="check"><input type="checkbox" checked={admin} onChange={() => setAdmin(!admin)} />Administrator</label>
        <div class="row end"><button type="button" onClick={onClose}>Cancel</button><button class="primary" type="submit">Create</button></div>
      </form>
    </Dialog>
  );
}

function Permissions({ username, onClose }: { readonly username: string; readonly onClose: () => void }) {
  const list = useLoad(async (signal) => ask(listPermissions({ signal, query: { username } })), [username]);
  return (
    <Dialog title={`Permissions of ${username}`} onClose={onClose}>
      <Await of={list}>{(grants) => <Grants grants={grants} onSet={async (grant) => {
        if (await attempt(() => ask(setPermission({ body: { username, ...grant } })))) list.reload();
      }} />}</Await>
    </Dialog>
  );
}
