import type { Operations } from '../../../../generated/docs/operations.ts';
import type { UpdateUserRequest, User } from '../../../../generated/docs/sdk/types.gen.ts';
import { ServiceError } from '../../../errors/index.ts';
import { unixSeconds } from '../../../lib/clock.ts';
import type { Handlers } from '../../../operations/index.ts';
import type { Transaction } from '../../../storage/index.ts';
import { type PasswordRules, requireGoodPassword } from '../credentials/password-rules.ts';
import type { Passwords } from '../credentials/passwords.ts';
import { newTokenId } from '../credentials/tokens.ts';
import { countUsers, type ListedUser, listUsers, readSubject, readUser, removeUser, type StoredUser, writeSubject,
  writeUser } from '../user-rows.ts';
import { type AccessStore, MAX_USERS, requireAdmin, requireRoom, requireUser, write } from '../write.ts';

interface UserDeps extends AccessStore {
  readonly passwords: Passwords;
  readonly rules: PasswordRules | undefined;
  /** The OpenID Connect issuer, if there is one. */
  readonly issuer: string | undefined;
}

export function userHandlers(
  deps: UserDeps,
): Required<Pick<Handlers<Operations>, 'registerUser' | 'listUsers' | 'updateUser' | 'deleteUser'>> {
  const { sql, clock, passwords, rules } = deps;
  return {
    async registerUser({ username, password, admin, mustChangePassword }, context) {
      requireGoodPassword('password', password, username, rules);
      if ((await readUser(sql, username)) !== undefined) throw exists();
      const passwordHash = await passwords.hash(password);
      return write(deps, { kind: 'user.put', key: username, by: context }, async (tx) => {
        // Checked again, because hashing takes time.
        if ((await readUser(tx, username)) !== undefined) throw exists();
        requireRoom(await countUsers(tx), MAX_USERS, 'users');
        await writeUser(tx, {
          username,
          uid: newTokenId(),
          tokenId: newTokenId(),
          passwordHash,
          admin,
          disabled: false,
          mustChange: mustChangePassword,
          createdAt: unixSeconds(clock),
        });
        const [user] = await listUsers(tx, username);
        return toUser(user!);
      });
    },
    async listUsers() {
      return { users: (await listUsers(sql)).map(toUser) };
    },
    updateUser: ({ username, oidcSubject, ...changes }, context) =>
      write(deps, { kind: 'user.put', key: username, by: context }, async (tx) => {
        await writeUser(tx, changed(await requireUser(tx, username), changes));
        if (oidcSubject !== undefined) await link(tx, username, deps.issuer, oidcSubject);
        await requireAdmin(tx, 'be disabled or demoted');
        return toUser((await listUsers(tx, username))[0]!);
      }),
    async deleteUser({ username }, context) {
      await write(deps, { kind: 'user.delete', key: username, by: context }, async (tx) => {
        await requireUser(tx, username);
        await removeUser(tx, username);
        await requireAdmin(tx, 'be deleted');
      });
      return { status: 'deleted', username };
    },
  };
}

/** Throws `invalid_argument` without an issuer, and `conflict` if the account belongs to another user. */
async function link(tx: Transaction, username: string, issuer: string | undefined, subject: string): Promise<void> {
  if (issuer === undefined)
    throw new ServiceError('invalid_argument', 'oidcSubject needs an issuer; set SVC_OIDC_ISSUER');
  const owner = subject === '' ? undefined : await readSubject(tx, { issuer, subject });
  if (owner !== undefined && owner !== username)
    throw new ServiceError('conflict', `the account belongs to the user ${owner}`);
  await writeSubject(tx, username, { issuer, subject });
}

/** Disabling a user or requiring a new password voids the user's tokens, and they stay void when that ends. */
function changed(user: StoredUser,
  { disabled = user.disabled, admin = user.admin, mustChangePassword: mustChange = user.mustChange }: Pick<
    UpdateUserRequest,
    'disabled' | 'admin' | 'mustChangePassword'
  >): StoredUser
{
  const endsTokens = (disabled && !user.disabled) || (mustChange && !user.mustChange);
  return { ...user, disabled, admin, mustChange, ...(endsTokens && { tokenId: newTokenId() }) };
}

export function toUser(
  { username, createdAt, disabled, isAdmin, groups, roles, mustChange, oidcSubject }: ListedUser,
): User {
  return {
    username,
    createdAt,
    disabled,
    admin: isAdmin,
    groups: [...groups],
    ...(roles.length > 0 && { roles: [...roles] }),
    mustChangePassword: mustChange || undefined,
    oidcSubject: oidcSubject || undefined,
  };
}

function exists(): ServiceError {
  return new ServiceError('conflict', 'user already exists');
}
