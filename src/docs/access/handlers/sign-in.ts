import type { Operations } from '../../../../generated/docs/operations.ts';
import { clientNetwork } from '../../../lib/trusted-proxies.ts';
import type { Handlers } from '../../../operations/index.ts';
import type { Accounts } from '../accounts.ts';
import { invalidCredentials, unauthenticated } from '../authenticator.ts';
import type { Passwords } from '../credentials/passwords.ts';
import type { Tokens } from '../credentials/tokens.ts';
import { listUsers, readUser } from '../rows/user-rows.ts';
import type { AccessStore } from '../write.ts';
import { toUser } from './users.ts';

export interface SignInDeps extends Pick<AccessStore, 'sql'> {
  readonly accounts: Accounts;
  readonly passwords: Passwords;
  readonly tokens: Tokens;
  /** Name of a user who exists. */
  readonly someone: string;
}

/** A name that no user can have. */
const NO_USER = '';

export function signInHandlers(
  { sql, accounts, passwords, tokens, someone }: SignInDeps,
): Required<Pick<Handlers<Operations>, 'login' | 'getCurrentUser'>> {
  return {
    async login({ username, password }, { caller }) {
      const user = await readUser(sql, username);
      // Every request looks up one existing and one missing user, because finding a user takes longer than not finding
      // one.
      await readUser(sql, user === undefined ? someone : NO_USER);
      const hash = user === undefined || user.disabled ? undefined : user.passwordHash;
      const party = { address: clientNetwork(caller.ip ?? ''), name: username };
      if (!(await passwords.matches(password, hash, party))) throw invalidCredentials();
      // Read again, because the user may have been deleted while the password was checked.
      const account = await accounts.account(username);
      if (account === undefined || account.disabled || account.tokenId !== user!.tokenId) throw invalidCredentials();
      return {
        ...(await tokens.sign(account, account.admin)),
        ...(account.mustChange && { mustChangePassword: true }),
      };
    },
    async getCurrentUser(_input, { identity }) {
      const [user] = await listUsers(sql, identity.username);
      if (user === undefined) throw unauthenticated('invalid token');
      return toUser(user);
    },
  };
}
