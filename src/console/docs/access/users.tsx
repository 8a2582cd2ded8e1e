import { useState } from 'preact/hooks';
import { createPasswordReset, deleteUser, listPermissions, listUsers, registerUser, setPermission, setUserRoles, updateUser } from '../../../../generated/docs/sdk/sdk.gen.ts';
import { ask } from '../../shared/ask.ts';
import { Icon } from '../../shared/icons.tsx';
import { Await, Badge, Confirm, Dialog, Field, Table, Time } from '../../shared/parts.tsx';
import { setQuery } from '../../shared/router.ts';
import { attempt } from '../../shared/toasts.tsx';
import { useLoad } from '../../shared/use-load.ts';
import { Grants } from './grants.tsx';
import { RolesForm } from './groups.tsx';

export function Users() {
  const list = useLoad(async (signal) => ask(listUsers({ signal })), []);
  const [isNew, setIsNew] = useState(false);
  const [open, setOpen] = useState<{ readonly username: string; readonly roles: readonly string[] }>();
  const [reset, setReset] = useState<string>();
  return (
    <div class="stack">
      <div class="row end"><button class="primary" onClick={() => setIsNew(true)}><Icon name="plus" />New user</button></div>
      <Await of={list}>{({ users }) => (
        <Table label="Users" columns={['Name', 'Groups', 'Roles', 'State', 'Since', '']}>
          {users.map(({ username, groups, roles = [], admin, disabled, createdAt }) => (
            <tr key={username}>
              <td>{username}</td>
              <td>{groups.join(', ')}</td>
              <td>{roles.join(', ')}</td>
              <td>{disabled ? <Badge tone="warn">disabled</Badge> : admin ? <Badge tone="busy">administrator</Badge> : <Badge tone="good">active</Badge>}</td>
              <td><Time at={createdAt} /></td>
              <td><div class="row end">
                <button onClick={() => setOpen({ username, roles })}>Permissions</button>
                <button onClick={() => setQuery({ tab: 'keys', of: username })}>Keys</button>
                <button onClick={() => void attempt(async () => setReset((await ask(createPasswordReset({ path: { username }, body: {} }))).token))}>New password</button>
                {disabled
                  ? <button onClick={() => void attempt(() => ask(updateUser({ path: { username }, body: { disabled: false } })), `${username} may sign in again`).then(list.reload)}>Enable</button>
                  : <Confirm label="Disable" says={`Signs ${username} out everywhere and lets nobody in by that name or its keys.`} onConfirm={() => attempt(() => ask(updateUser({ path: { username }, body: { disabled: true } })), `${username} was disabled`).then(list.reload)} />}
                <Confirm label="Delete" says={`Deletes ${username}, with the keys and permissions of that name.`} onConfirm={() => attempt(() => ask(deleteUser({ path: { username } })), `${username} was deleted`).then(list.reload)} />
              </div></td>
            </tr>
          ))}
        </Table>
      )}</Await>
      {isNew && <NewUser onClose={() => setIsNew(false)} onDone={list.reload} />}
      {open !== undefined && <Permissions {...open} onClose={() => setOpen(undefined)} onDone={list.reload} />}
      {reset !== undefined && (
        <Dialog title="Token for a new password" onClose={() => setReset(undefined)}>
          <p>Hand it to the user, who sets a new password with it within a day, on the page for signing in. It is not shown again.</p>
          <pre class="code">{reset}</pre>
        </Dialog>
      )}
    </div>
  );
}

function NewUser({ onClose, onDone }: { readonly onClose: () => void; readonly onDone: () => void }) {
  const [username, setUsername] = useState('');
  const [password, setPassword] = useState('');
  const [admin, setAdmin] = useState(false);
  const [mustChangePassword, setMustChange] = useState(true);
  const create = async (): Promise<void> => {
    if (!await attempt(() => ask(registerUser({ body: { username, password, admin, mustChangePassword } })), `${username} was created`)) return;
    onClose();
    onDone();
  };
  return (
    <Dialog title="New user" onClose={onClose}>
      <form class="stack" onSubmit={(event) => { event.preventDefault(); void create(); }}>
        <Field label="Name"><input required autoFocus autoComplete="off" value={username} onInput={(event) => setUsername(event.currentTarget.value)} /></Field>
        <Field label="Password"><input type="password" required autoComplete="new-password" value={password} onInput={(event) => setPassword(event.currentTarget.value)} /></Field>
        <label class="check"><input type="checkbox" checked={admin} onChange={() => setAdmin(!admin)} />Administrator</label>
        <label class="check"><input type="checkbox" checked={mustChangePassword} onChange={() => setMustChange(!mustChangePassword)} />Has to choose another password at the first sign-in</label>
        <div class="row end"><button type="button" onClick={onClose}>Cancel</button><button class="primary" type="submit">Create</button></div>
      </form>
    </Dialog>
  );
}

/** The user's own permissions, and the user's roles. */
function Permissions({ username, roles: held, onClose, onDone }: { readonly username: string; readonly roles: readonly string[]; readonly onClose: () => void; readonly onDone: () => void }) {
  const list = useLoad(async (signal) => ask(listPermissions({ signal, query: { username } })), [username]);
  return (
    <Dialog title={`Permissions of ${username}`} onClose={onClose}>
      <Await of={list}>{(grants) => <Grants grants={grants} onSet={async (grant) => {
        if (await attempt(() => ask(setPermission({ body: { username, ...grant } })))) list.reload();
      }} />}</Await>
      <RolesForm held={held} onSet={async (names) => {
        if (await attempt(() => ask(setUserRoles({ path: { username }, body: { roles: names } })), 'The roles were saved')) onDone();
      }} />
    </Dialog>
  );
}
