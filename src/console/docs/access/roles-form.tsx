import { useState } from 'preact/hooks';
import { listRoles } from '../../../../generated/docs/sdk/sdk.gen.ts';
import { ask } from '../../shared/ask.ts';
import { Await } from '../../shared/parts.tsx';
import { useLoad } from '../../shared/use-load.ts';

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
