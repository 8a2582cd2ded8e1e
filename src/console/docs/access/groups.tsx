import { useState } from 'preact/hooks';
import { createGroup, deleteGroup, listGroupPermissions, listGroups, listRoles, setGroupPermission, setGroupRoles, updateGroup } from '../../../../generated/docs/sdk/sdk.gen.ts';
import type { Group } from '../../../../generated/docs/sdk/types.gen.ts';
import { ask } from '../../shared/ask.ts';
import { Icon } from '../../shared/icons.tsx';
import { Await, Confirm, Dialog, Empty, Field, Table } from '../../shared/parts.tsx';
import { attempt } from '../../shared/toasts.tsx';
import { useLoad } from '../../shared/use-load.ts';
import { Grants } from './grants.tsx';

const NEW: Pick<Group, 'name' | 'description' | 'members'> = { name: '', description: '', members: [] };

export function Groups() {
  const list = useLoad(async (signal) => ask(listGroups({ signal })), []);
  const [edited, setEdited] = useState<typeof NEW>();
  const [open, setOpen] = useState<Group>();
  return (
    <div class="stack">
      <div class="row end"><button class="primary" onClick={() => setEdited(NEW)}><Icon name="plus" />New group</button></div>
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
      {open !== undefined && <Permissions group={open} onClose={() => setOpen(undefined)} onDone={list.reload} />}
    </div>
  );
}

function EditGroup({ group, onClose, onDone }: { readonly group: typeof NEW; readonly onClose: () => void; readonly onDone: () => void }) {
  const isNew = group === NEW;
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
function Permissions({ group: { name: group, roles = [] }, onClose, onDone }: { readonly group: Group; readonly onClose: () => void; readonly onDone: () => void }) {
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
export function RolesForm({ held, onSet }: { readonly held: readonly string[]; readonly onSet: (roles: string[]) => void }) {
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
