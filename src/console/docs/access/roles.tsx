import { useState } from 'preact/hooks';
import { deleteRole, listRoles, setRole } from '../../../../generated/docs/sdk/sdk.gen.ts';
import { ask } from '../../shared/ask.ts';
import { Icon } from '../../shared/icons.tsx';
import { Await, Badge, Confirm, Dialog, Field, Table } from '../../shared/parts.tsx';
import { attempt } from '../../shared/toasts.tsx';
import { useLoad } from '../../shared/use-load.ts';
import { Grants, type Grant } from './grants.tsx';

interface EditedRole {
  readonly name: string;
  readonly description: string;
  readonly permissions: readonly Grant[];
}

const NEW: EditedRole = { name: '', description: '', permissions: [] };

/** Named sets of permissions, which are given to users and groups. */
export function Roles() {
  const list = useLoad(async (signal) => ask(listRoles({ signal })), []);
  const [edited, setEdited] = useState<EditedRole>();
  return (
    <div class="stack">
      <div class="row end"><button class="primary" onClick={() => setEdited(NEW)}><Icon name="plus" />New role</button></div>
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
    <Dialog title={role === NEW ? 'New role' : `Role ${name}`} onClose={onClose}>
      <form class="stack" id="role" onSubmit={(event) => { event.preventDefault(); void save(); }}>
        {role === NEW && <Field label="Name"><input required autoFocus value={name} onInput={(event) => change({ name: event.currentTarget.value })} /></Field>}
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
