import { useState } from 'preact/hooks';
import { Table } from '../../shared/parts.tsx';

export interface Grant {
  readonly collection: string;
  readonly read: boolean;
  readonly write: boolean;
  readonly admin: boolean;
}

const RIGHTS = ['read', 'write', 'admin'] as const;

/** Permissions on collections, `*` for all, which can be granted and revoked. */
export function Grants({ grants, onSet }: { readonly grants: readonly Grant[]; readonly onSet: (grant: Grant) => void }) {
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
