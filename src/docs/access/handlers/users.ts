import type { Operations } from '../../../../generated/docs/operations.ts';
import type { User } from '../../../../generated/docs/sdk/types.gen.ts';
import { ServiceError } from '../../../errors/index.ts';
import { unixSeconds } from '../../../lib/clock.ts';
import type { Handlers } from '../../../operations/index.ts';
import type { Passwords } from '../credentials/passwords.ts';
import { MAX_USERS } from '../limits.ts';
import { newTokenId } from '../new-token-id.ts';
import { countUsers, listUsers, readUser, removeUser, writeUser, type ListedUser } from '../rows/user-rows.ts';
import { notFound, requireAdmin, requireRoom, write, type AccessStore } from '../write.ts';

export interface UserDeps extends AccessStore {
  readonly passwords: Passwords;
}

export function userHandlers(deps: UserDeps): Required<Pick<Handlers<Operations>, 'registerUser' | 'listUsers' | 'deleteUser'>> {
  const { sql, clock, passwords } = deps;
  return {
    async registerUser({ username, password, admin }) {
      if ((await readUser(sql, username)) !== undefined) throw exists();
      const passwordHash = await passwords.hash(password);
      return write(deps, 'user.put', username, async (tx) => {
        // Again, for hashing takes a while.
        if ((await readUser(tx, username)) !== undefined) throw exists();
        requireRoom(await countUsers(tx), MAX_USERS, 'users');
        await writeUser(tx, { username, tokenId: newTokenId(), passwordHash, admin, disabled: false, createdAt: unixSeconds(clock) });
        const [user] = await listUsers(tx, username);
        return toUser(user!);
      });
    },
    async listUsers() {
      return { users: (await listUsers(sql)).map(toUser) };
    },
    async deleteUser({ username }) {
      await write(deps, 'user.delete', username, async (tx) => {
        if ((await readUser(tx, username)) === undefined) throw notFound(`user ${username}`);
        await removeUser(tx, username);
        await requireAdmin(tx, 'be deleted');
      });
      return { status: 'deleted', username };
    },
  };
}

export function toUser({ username, createdAt, disabled, isAdmin, groups }: ListedUser): User {
  return { username, createdAt, disabled, admin: isAdmin, groups: [...groups] };
}

function exists(): ServiceError {
  return new ServiceError('conflict', 'user already exists');
}
