import { useState } from 'preact/hooks';
import { createGroup, createPasswordReset, deleteGroup, deleteRole, deleteUser, listGroupPermissions, listGroups, listPermissions, listRoles, listUsers, registerUser, setGroupPermission, setGroupRoles, setPermission, setRole, setUserRoles, updateGroup, updateUser } from '../../../../generated/docs/sdk/sdk.gen.ts';
import { ask } from '../../shared/ask.ts';
import { Icon } from '../../shared/icons.tsx';
import { Await, Badge, Confirm, Dialog, Empty, Field, Table, Time } from '../../shared/parts.tsx';
import { setQuery } from '../../shared/router.ts';
import { attempt } from '../../shared/toasts.tsx';
import { useLoad } from '../../shared/use-load.ts';
import type { Group } from '../../../../generated/docs/sdk/types.gen.ts';

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
      {open !== undefined && <UserPermissions {...open} onClose={() => setOpen(undefined)} onDone={list.reload} />}
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
function UserPermissions({ username, roles: held, onClose, onDone }: { readonly username: string; readonly roles: readonly string[]; readonly onClose: () => void; readonly onDone: () => void }) {
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

const NEW_GROUP: Pick<Group, 'name' | 'description' | 'members'> = { name: '', description: '', members: [] };

export function Groups() {
  const list = useLoad(async (signal) => ask(listGroups({ signal })), []);
  const [edited, setEdited] = useState<typeof NEW_GROUP>();
  const [open, setOpen] = useState<Group>();
  return (
    <div class="stack">
      <div class="row end"><button class="primary" onClick={() => setEdited(NEW_GROUP)}><Icon name="plus" />New group</button></div>
      <Await of={list}>{({ groups }) => (groups.length === 0 ? <Empty>There are no groups. A group grants its permissions to its members.</Empty> : (
        <Table label="Groups" columns={['Name', 'Description', 'Members', 'Roles', '']}>
          {groups.map((group) => (
            <tr key={group.name}>
              <td>{group.name}</td><td>{group.description}</td><td>{group.members.join(', ')}</td><td>{group.roles?.join(', ')}</td>
              <td><div class="row end">
                <button onClick={() => setOpen(group)}>Permissions</button>
                <button onClick={() => setEdited(group)}>Edit</button>
                <Confirm label="Delete" says={`Deletes the group ${group.name}; its members lose its permissions.`} onConfirm={() => attempt(() => ask(deleteGroup({ path: { name: group.name } })), `${group.name} was deleted`).then(list.reload)} />
              </div></td>
            </tr>
          ))}
        </Table>
      ))}</Await>
      {edited !== undefined && <EditGroup group={edited} onClose={() => setEdited(undefined)} onDone={list.reload} />}
      {open !== undefined && <GroupPermissions group={open} onClose={() => setOpen(undefined)} onDone={list.reload} />}
    </div>
  );
}

function EditGroup({ group, onClose, onDone }: { readonly group: typeof NEW_GROUP; readonly onClose: () => void; readonly onDone: () => void }) {
  const isNew = group === NEW_GROUP;
  const [name, setName] = useState(group.name);
  const [description, setDescription] = useState(group.description);
  const [members, setMembers] = useState(group.members.join(', '));
  const save = async (): Promise<void> => {
    const fields = { description, members: members.split(',').map((member) => member.trim()).filter((member) => member !== '') };
    const done = await attempt(() => (isNew ? ask(createGroup({ body: { name, ...fields } })) : ask(updateGroup({ path: { name }, body: fields }))), 'The group was saved');
    if (!done) return;
    onClose();
    onDone();
  };
  return (
    <Dialog title={isNew ? 'New group' : group.name} onClose={onClose}>
      <form class="stack" onSubmit={(event) => { event.preventDefault(); void save(); }}>
        {isNew && <Field label="Name"><input required autoFocus value={name} onInput={(event) => setName(event.currentTarget.value)} /></Field>}
        <Field label="Description"><input value={description} onInput={(event) => setDescription(event.currentTarget.value)} /></Field>
        <Field label="Members" hint="Names of users, separated by commas"><input value={members} onInput={(event) => setMembers(event.currentTarget.value)} /></Field>
        <div class="row end"><button type="button" onClick={onClose}>Cancel</button><button class="primary" type="submit">Save</button></div>
      </form>
    </Dialog>
  );
}

/** The group's own permissions, and its roles. */
function GroupPermissions({ group: { name: group, roles = [] }, onClose, onDone }: { readonly group: Group; readonly onClose: () => void; readonly onDone: () => void }) {
  const list = useLoad(async (signal) => ask(listGroupPermissions({ signal, query: { group } })), [group]);
  return (
    <Dialog title={`Permissions of ${group}`} onClose={onClose}>
      <Await of={list}>{({ permissions }) => <Grants grants={permissions} onSet={async (grant) => {
        if (await attempt(() => ask(setGroupPermission({ body: { group, ...grant } })))) list.reload();
      }} />}</Await>
      <RolesForm held={roles} onSet={async (names) => {
        if (await attempt(() => ask(setGroupRoles({ path: { name: group }, body: { roles: names } })), 'The roles were saved')) onDone();
      }} />
    </Dialog>
  );
}

/** The roles of a user or a group, each to be given and taken. */
function RolesForm({ held, onSet }: { readonly held: readonly string[]; readonly onSet: (roles: string[]) => void }) {
  const list = useLoad(async (signal) => ask(listRoles({ signal })), []);
  const [roles, setRoles] = useState<readonly string[]>(held);
  const toggle = (name: string): void => {
    const changed = roles.includes(name) ? roles.filter((role) => role !== name) : [...roles, name];
    setRoles(changed);
    onSet([...changed]);
  };
  return (
    <fieldset class="row">
      <legend>Roles</legend>
      <Await of={list}>{({ roles: known }) => known.map(({ name, description }) => (
        <label key={name} class="check" title={description}><input type="checkbox" checked={roles.includes(name)} onChange={() => toggle(name)} />{name}</label>
      ))}</Await>
    </fieldset>
  );
}

interface EditedRole {
  readonly name: string;
  readonly description: string;
  readonly permissions: readonly Grant[];
}

const NEW_ROLE: EditedRole = { name: '', description: '', permissions: [] };

/** Named sets of permissions, which are given to users and groups. */
export function Roles() {
  const list = useLoad(async (signal) => ask(listRoles({ signal })), []);
  const [edited, setEdited] = useState<EditedRole>();
  return (
    <div class="stack">
      <div class="row end"><button class="primary" onClick={() => setEdited(NEW_ROLE)}><Icon name="plus" />New role</button></div>
      <Await of={list}>{({ roles }) => (
        <Table label="Roles" columns={['Name', 'Description', 'Permissions', '']}>
          {roles.map(({ name, description, builtIn, permissions }) => (
            <tr key={name}>
              <td>{name}</td><td>{description}</td><td>{permissions.map(inWords).join('; ')}</td>
              <td><div class="row end">{builtIn ? <Badge>built in</Badge> : (
                <>
                  <button onClick={() => setEdited({ name, description, permissions })}>Edit</button>
                  <Confirm label="Delete" says={`Deletes the role ${name}; users and groups lose what it gave them.`} onConfirm={() => attempt(() => ask(deleteRole({ path: { name } })), `${name} was deleted`).then(list.reload)} />
                </>
              )}</div></td>
            </tr>
          ))}
        </Table>
      )}</Await>
      {edited !== undefined && <EditRole role={edited} onClose={() => setEdited(undefined)} onDone={list.reload} />}
    </div>
  );
}

function EditRole({ role, onClose, onDone }: { readonly role: EditedRole; readonly onClose: () => void; readonly onDone: () => void }) {
  const [{ name, description, permissions }, setFields] = useState(role);
  const change = (fields: Partial<EditedRole>): void => setFields((before) => ({ ...before, ...fields }));
  const save = async (): Promise<void> => {
    if (!await attempt(() => ask(setRole({ path: { name }, body: { description, permissions: [...permissions] } })), 'The role was saved')) return;
    onClose();
    onDone();
  };
  return (
    <Dialog title={role === NEW_ROLE ? 'New role' : `Role ${name}`} onClose={onClose}>
      <form class="stack" id="role" onSubmit={(event) => { event.preventDefault(); void save(); }}>
        {role === NEW_ROLE && <Field label="Name"><input required autoFocus value={name} onInput={(event) => change({ name: event.currentTarget.value })} /></Field>}
        <Field label="Description"><input value={description} onInput={(event) => change({ description: event.currentTarget.value })} /></Field>
      </form>
      <Grants grants={permissions} onSet={(grant) => change({ permissions: withGrant(permissions, grant) })} />
      <div class="row end"><button type="button" onClick={onClose}>Cancel</button><button class="primary" type="submit" form="role">Save</button></div>
    </Dialog>
  );
}

/** Replaces the permissions on a collection; without any, the entry is removed. */
function withGrant(grants: readonly Grant[], grant: Grant): readonly Grant[] {
  const isEmpty = !grant.read && !grant.write && !grant.admin;
  const at = grants.findIndex(({ collection }) => collection === grant.collection);
  if (at === -1) return isEmpty ? grants : [...grants, grant];
  return isEmpty ? grants.toSpliced(at, 1) : grants.with(at, grant);
}

function inWords({ collection, read, write, admin }: Grant): string {
  const rights = Object.entries({ read, write, admin }).filter(([, is]) => is).map(([right]) => right);
  return `${rights.join(', ')} on ${collection === '*' ? 'everything' : collection}`;
}

interface Grant {
  readonly collection: string;
  readonly read: boolean;
  readonly write: boolean;
  readonly admin: boolean;
}

const RIGHTS = ['read', 'write', 'admin'] as const;

/** Permissions on collections, `*` for all, which can be granted and revoked. */
function Grants({ grants, onSet }: { readonly grants: readonly Grant[]; readonly onSet: (grant: Grant) => void }) {
  const [collection, setCollection] = useState('');
  const add = (): void => {
    onSet({ collection, read: true, write: false, admin: false });
    setCollection('');
  };
  return (
    <div class="stack">
      {grants.length > 0 && (
        <Table label="Permissions" columns={['Collection', ...RIGHTS]}>
          {grants.map((grant) => (
            <tr key={grant.collection}>
              <td>{grant.collection}</td>
              {RIGHTS.map((right) => <td key={right}><input type="checkbox" aria-label={`${right} ${grant.collection}`} checked={grant[right]} onChange={() => onSet({ collection: grant.collection, read: grant.read, write: grant.write, admin: grant.admin, [right]: !grant[right] })} /></td>)}
            </tr>
          ))}
        </Table>
      )}
      <form class="row" onSubmit={(event) => { event.preventDefault(); add(); }}>
        <div class="grow"><input required aria-label="Collection" placeholder="Collection, or * for all" value={collection} onInput={(event) => setCollection(event.currentTarget.value)} /></div>
        <button type="submit">Let read</button>
      </form>
    </div>
  );
}
