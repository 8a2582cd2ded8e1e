import type { Queries, Row, SqlValue, Transaction } from '../../storage/index.ts';

export interface StoredUser {
  readonly username: string;
  /** The id of this record, which it keeps, and which no other user gets: not even a later one of the same name. */
  readonly uid: string;
  /** The id that valid tokens of this user contain. */
  readonly tokenId: string;
  readonly passwordHash: string;
  /** The user's own administrator flag; permissions can make an administrator too (`isAdmin` of `ListedUser`). */
  readonly admin: boolean;
  readonly disabled: boolean;
  /** Whether the password must be changed after the next sign-in. */
  readonly mustChange: boolean;
  /** Unix seconds. */
  readonly createdAt: number;
}

/** A user as listings show it. */
export interface ListedUser {
  readonly username: string;
  readonly createdAt: number;
  readonly disabled: boolean;
  readonly isAdmin: boolean;
  readonly groups: readonly string[];
  /** Roles that the user holds directly, not through groups. */
  readonly roles: readonly string[];
  readonly mustChange: boolean;
  /** The account at an issuer with which the user signs in; empty for none. */
  readonly oidcSubject: string;
}

interface UserRow extends Row {
  readonly username: string;
  readonly uid: string;
  readonly token_id: string;
  readonly password_hash: string;
  readonly admin: number;
  readonly disabled: number;
  readonly must_change: number;
  readonly created_at: number;
}

interface ListedRow extends Row {
  readonly username: string;
  readonly created_at: number;
  readonly disabled: number;
  readonly is_admin: number;
  readonly must_change: number;
  readonly subject: string | null;
}

/**
 * An administrator by the user's own flag, or by a permission on `*` of the user, of a group, or of a role of either
 * (decisions section 5.1).
 */
const IS_ADMIN = `(u.admin = 1
  OR EXISTS (SELECT 1 FROM user_permissions p WHERE p.username = u.username AND p.collection = '*' AND p.may_admin = 1)
  OR EXISTS (SELECT 1 FROM group_members m JOIN group_permissions p ON p.group_name = m.group_name
    WHERE m.username = u.username AND p.collection = '*' AND p.may_admin = 1)
  OR EXISTS (SELECT 1 FROM user_roles r JOIN role_permissions p ON p.role_name = r.role_name
    WHERE r.username = u.username AND p.collection = '*' AND p.may_admin = 1)
  OR EXISTS (SELECT 1 FROM group_members m JOIN group_roles r ON r.group_name = m.group_name JOIN role_permissions p ON p.role_name = r.role_name
    WHERE m.username = u.username AND p.collection = '*' AND p.may_admin = 1))`;

export async function readUser(queries: Queries, username: string): Promise<StoredUser | undefined> {
  const row = await queries.get<UserRow>(
    'SELECT username, uid, token_id, password_hash, admin, disabled, must_change, created_at FROM users WHERE ' +
      'username = ?',
    [username],
  );
  // Builds without ids of records leave the id empty.
  return row && {
    username: row.username,
    uid: row.uid,
    tokenId: row.token_id,
    passwordHash: row.password_hash,
    admin: row.admin === 1,
    disabled: row.disabled === 1,
    mustChange: row.must_change === 1,
    createdAt: row.created_at,
  };
}

/** The id of the record that has this name now; empty if there is none. */
export async function recordOf(queries: Queries, username: string): Promise<string> {
  return (await readUser(queries, username))?.uid ?? '';
}

/** All users by name, or one of them. */
export async function listUsers(queries: Queries, username?: string): Promise<ListedUser[]> {
  const [where, params]: [string, SqlValue[]] = username === undefined
    ? ['', []]
    : ['WHERE u.username = ?', [username]];
  const rows = await queries.all<ListedRow>(
    `SELECT u.username, u.created_at, u.disabled, u.must_change, o.subject, ${IS_ADMIN} AS is_admin FROM users u ` +
      `LEFT JOIN oidc_subjects o ON o.username = u.username ${where} ORDER BY u.username`,
    params,
  );
  const memberships = await queries.all<{ username: string; group_name: string }>(
    `SELECT u.username, u.group_name FROM group_members u ${where} ORDER BY u.group_name`,
    params,
  );
  const held = await queries.all<{ username: string; role_name: string }>(
    `SELECT u.username, u.role_name FROM user_roles u ${where} ORDER BY u.role_name`,
    params,
  );
  const roles = Map.groupBy(held, (role) => role.username);
  const groups = Map.groupBy(memberships, (membership) => membership.username);
  return rows.map((row) => ({
    username: row.username,
    createdAt: row.created_at,
    disabled: row.disabled === 1,
    isAdmin: row.is_admin === 1,
    mustChange: row.must_change === 1,
    oidcSubject: row.subject ?? '',
    groups: groups.get(row.username)?.map(({ group_name }) => group_name) ?? [],
    roles: roles.get(row.username)?.map(({ role_name }) => role_name) ?? [],
  }));
}

export async function countUsers(queries: Queries): Promise<number> {
  return (await queries.get<{ n: number }>('SELECT count(*) AS n FROM users'))!.n;
}

/** Whether there is a user who can sign in and is an administrator. */
export async function hasAdmin(queries: Queries): Promise<boolean> {
  return (await queries.get(`SELECT 1 AS found FROM users u WHERE u.disabled = 0 AND ${IS_ADMIN} LIMIT 1`)) !==
    undefined;
}

/** Stores a user in place of the existing one of that name. */
export async function writeUser(tx: Transaction,
  { username, uid, tokenId, passwordHash, admin, disabled, mustChange, createdAt }: StoredUser): Promise<void>
{
  await tx.run(
    `INSERT INTO users(username, uid, token_id, password_hash, admin, disabled, must_change, created_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT(username) DO UPDATE SET
       uid = excluded.uid, token_id = excluded.token_id, password_hash = excluded.password_hash, admin = excluded.admin, disabled = excluded.disabled,
       must_change = excluded.must_change`,
    [username, uid, tokenId, passwordHash, Number(admin), Number(disabled), Number(mustChange), createdAt],
  );
}

/** Deletes a user with keys, permissions, roles and memberships (contract section 5, rule 12). */
export async function removeUser(tx: Transaction, username: string): Promise<void> {
  for (const table of ['users', 'api_keys', 'user_permissions', 'group_members', 'user_roles', 'password_resets',
    'oidc_subjects'])
  {
    await tx.run(`DELETE FROM ${table} WHERE username = ?`, [username]);
  }
}

/** An account at an OpenID Connect issuer. */
interface Subject {
  readonly issuer: string;
  readonly subject: string;
}

/** The user who signs in with an account; undefined if there is none. */
export async function readSubject(queries: Queries, { issuer, subject }: Subject): Promise<string | undefined> {
  return (await queries.get<{ username: string }>('SELECT username FROM oidc_subjects WHERE issuer = ? AND subject = ?',
    [issuer, subject]))?.username;
}

/** Replaces an earlier account of the user; an empty subject only removes it. */
export async function writeSubject(tx: Transaction, username: string, { issuer, subject }: Subject): Promise<void> {
  await tx.run('DELETE FROM oidc_subjects WHERE username = ?', [username]);
  if (subject !== '')
    await tx.run('INSERT INTO oidc_subjects(issuer, subject, username) VALUES (?, ?, ?)', [issuer, subject, username]);
}
