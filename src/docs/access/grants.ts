import { isSystemCollection } from '../../lib/system-collection.ts';
import type { Permission } from '../../operations/index.ts';
import type { Queries, Row, Transaction } from '../../storage/index.ts';

/** Permissions on one collection, or on all of them: `*`. */
export interface Grant {
  /** Lowercased. */
  readonly collection: string;
  readonly read: boolean;
  readonly write: boolean;
  readonly admin: boolean;
}

export const ALL_COLLECTIONS = '*';

/**
 * The permissions of a user: the user's own, those of the user's groups and those of roles of either, added up by
 * collection. If there is a sum for a collection, only that counts; otherwise the sum for `*` counts, except for
 * collections of the system (contract section 5, rule 8; decisions sections 2.4 and 5.1).
 */
export class Grants {
  readonly #byCollection = new Map<string, Grant>();

  constructor(grants: Iterable<Grant>) {
    for (const grant of grants) this.#add(grant);
  }

  /** Whether `admin` on all collections is granted, which makes the user an administrator of the server. */
  get areThoseOfAdmin(): boolean {
    return this.#byCollection.get(ALL_COLLECTIONS)?.admin === true;
  }

  /** Letter case does not matter. */
  may(permission: Permission, collection: string): boolean {
    return this.entryFor(collection)?.[permission] === true;
  }

  /** The sum that counts for a collection; undefined if nothing is granted. */
  entryFor(collection: string): Grant | undefined {
    const name = collection.toLowerCase();
    return this.#byCollection.get(name) ??
      (isSystemCollection(name) ? undefined : this.#byCollection.get(ALL_COLLECTIONS));
  }

  /** Whether the permission is granted on any collection that is not one of the system. */
  mayAnywhere(permission: Permission): boolean {
    return [...this.#byCollection.values()].some((grant) => !isSystemCollection(grant.collection) && grant[permission]);
  }

  #add({ collection, read, write, admin }: Grant): void {
    const other = this.#byCollection.get(collection);
    this.#byCollection.set(collection, {
      collection,
      read: read || other?.read === true,
      write: write || other?.write === true,
      admin: admin || other?.admin === true,
    });
  }
}

/** The kind of holder: permissions of users, groups and roles are in separate tables. */
type Holder = 'user' | 'group' | 'role';

interface GrantRow extends Row {
  readonly collection: string;
  readonly may_read: number;
  readonly may_write: number;
  readonly may_admin: number;
}

const TABLES = {
  user: { table: 'user_permissions', column: 'username' },
  group: { table: 'group_permissions', column: 'group_name' },
  role: { table: 'role_permissions', column: 'role_name' },
} as const;

/** Permissions granted to the holder directly, by collection. */
export async function listGrants(queries: Queries, holder: Holder, name: string): Promise<Grant[]> {
  const { table, column } = TABLES[holder];
  return (await queries.all<GrantRow>(
    `SELECT collection, may_read, may_write, may_admin FROM ${table} WHERE ${column} = ? ORDER BY collection`,
    [name],
  )).map(toGrant);
}

/** A permission of a user, with its origin. */
export interface SourcedGrant extends Grant {
  readonly kind: 'user' | 'group' | 'role';
  readonly name: string;
  /** The group through which a role is held; empty if the user holds it directly. */
  readonly group: string;
}

interface SourcedRow extends GrantRow {
  readonly kind: SourcedGrant['kind'];
  readonly name: string;
  readonly via: string;
}

/** All permissions of a user: direct ones, those of groups, and those of roles of either. */
export async function listGrantsOf(queries: Queries, username: string): Promise<SourcedGrant[]> {
  const rows = await queries.all<SourcedRow>(
    `SELECT 'user' AS kind, username AS name, '' AS via, collection, may_read, may_write, may_admin FROM user_permissions WHERE username = ?
     UNION ALL SELECT 'group', m.group_name, '', p.collection, p.may_read, p.may_write, p.may_admin
       FROM group_members m JOIN group_permissions p ON p.group_name = m.group_name WHERE m.username = ?
     UNION ALL SELECT 'role', r.role_name, '', p.collection, p.may_read, p.may_write, p.may_admin
       FROM user_roles r JOIN role_permissions p ON p.role_name = r.role_name WHERE r.username = ?
     UNION ALL SELECT 'role', r.role_name, m.group_name, p.collection, p.may_read, p.may_write, p.may_admin
       FROM group_members m JOIN group_roles r ON r.group_name = m.group_name JOIN role_permissions p ON p.role_name = r.role_name WHERE m.username = ?
     ORDER BY 4, 1, 2, 3`,
    [username, username, username, username],
  );
  return rows.map((row) => ({ ...toGrant(row), kind: row.kind, name: row.name, group: row.via }));
}

/** The permissions of roles and groups, including those of the groups' roles. */
export async function listGrantsHeld(queries: Queries,
  { roles, groups }: { readonly roles: readonly string[]; readonly groups: readonly string[] }): Promise<Grant[]>
{
  const found: Grant[] = [];
  for (const role of roles) found.push(...await listGrants(queries, 'role', role));
  for (const group of groups) {
    found.push(...await listGrants(queries, 'group', group));
    const rows = await queries.all<GrantRow>(
      'SELECT p.collection, p.may_read, p.may_write, p.may_admin FROM group_roles r JOIN role_permissions p ON ' +
        'p.role_name = r.role_name WHERE r.group_name = ?',
      [group],
    );
    found.push(...rows.map(toGrant));
  }
  return found;
}

/** Replaces the permissions for the collection; a grant without any permission is deleted. */
export async function writeGrant(tx: Transaction, holder: Holder, name: string,
  { collection, read, write, admin }: Grant): Promise<void>
{
  const { table, column } = TABLES[holder];
  await tx.run(`DELETE FROM ${table} WHERE ${column} = ? AND collection = ?`, [name, collection]);
  if (!read && !write && !admin) return;
  await tx.run(`INSERT INTO ${table}(${column}, collection, may_read, may_write, may_admin) VALUES (?, ?, ?, ?, ?)`, [
    name,
    collection,
    Number(read),
    Number(write),
    Number(admin),
  ]);
}

function toGrant(row: GrantRow): Grant {
  return {
    collection: row.collection,
    read: row.may_read === 1,
    write: row.may_write === 1,
    admin: row.may_admin === 1,
  };
}
