import type { Operations } from '../../../../generated/docs/operations.ts';
import { ServiceError } from '../../../errors/index.ts';
import { unixSeconds } from '../../../lib/clock.ts';
import { clientNetwork } from '../../../lib/trusted-proxies.ts';
import type { Handlers, Standing } from '../../../operations/index.ts';
import type { Queries, Row, Transaction } from '../../../storage/index.ts';
import { invalidCredentials, unauthenticated } from '../authenticator.ts';
import { type PasswordRules, requireGoodPassword } from '../credentials/password-rules.ts';
import type { Passwords } from '../credentials/passwords.ts';
import { hashOf, isExpired, newResetToken } from '../credentials/secret-keys.ts';
import { newTokenId, type Tokens } from '../credentials/tokens.ts';
import { readUser, type StoredUser, writeUser } from '../user-rows.ts';
import { type AccessStore, requireUser, write } from '../write.ts';

interface PasswordDeps extends AccessStore {
  readonly passwords: Passwords;
  readonly tokens: Tokens;
  readonly rules: PasswordRules | undefined;
}

type PasswordHandlers = Required<
  Pick<Handlers<Operations>, 'changePassword' | 'createPasswordReset' | 'redeemPasswordReset'>
>;

export function passwordHandlers(deps: PasswordDeps): PasswordHandlers {
  const { sql, clock, accounts, passwords, tokens, rules } = deps;
  return {
    async changePassword({ oldPassword, newPassword }, context) {
      const { identity: { by, username, account: id }, caller } = context;
      if (by !== 'token')
        throw unauthenticated('missing authentication', 'changing the password needs a token from login');
      const user = await readUser(sql, username);
      const party = { address: clientNetwork(caller.ip ?? ''), name: username };
      if (user === undefined || user.uid !== id || !(await passwords.matches(oldPassword, user.passwordHash, party)))
        throw invalidCredentials();
      requireGoodPassword('newPassword', newPassword, username, rules);
      if (newPassword === oldPassword)
        throw new ServiceError('invalid_argument', 'newPassword must be another than oldPassword');
      await store(deps, { user, passwordHash: await passwords.hash(newPassword), by: context });
      const account = await accounts.account(username);
      if (account === undefined) throw unauthenticated('invalid token');
      return tokens.sign(account, account.admin);
    },
    async createPasswordReset({ username, expiresIn }, context) {
      const token = newResetToken();
      const expiresAt = unixSeconds(clock) + expiresIn;
      await write(deps, { kind: 'user.put', key: username, by: context }, async (tx) => {
        await requireUser(tx, username);
        await writeReset(tx, { username, hash: hashOf(token), expiresAt });
      });
      return { username, token, expiresAt };
    },
    async redeemPasswordReset({ username, token, newPassword }, context) {
      const reset = await readReset(sql, hashOf(token));
      const user = reset && (await readUser(sql, reset.username));
      if (user === undefined || reset!.username !== username || user.disabled ||
        isExpired(reset!.expiresAt, unixSeconds(clock))) throw invalidCredentials();
      requireGoodPassword('newPassword', newPassword, username, rules);
      await store(deps, { user, passwordHash: await passwords.hash(newPassword), resetHash: reset!.hash, by: context });
      return { status: 'changed', username };
    },
  };
}

interface NewPassword {
  /** As read before the password was hashed. */
  readonly user: StoredUser;
  readonly passwordHash: string;
  /** The hash of the one-time token, if it is redeemed. */
  readonly resetHash?: string;
  readonly by: Standing;
}

/**
 * Ends all tokens of the user. While the password was hashed, the user may have been changed or deleted, or may have
 * redeemed the token.
 */
function store(deps: AccessStore, { user, passwordHash, resetHash, by }: NewPassword): Promise<void> {
  return write(deps, { kind: 'user.put', key: user.username, by }, async (tx) => {
    const now = await readUser(tx, user.username);
    if (now === undefined || now.disabled || now.tokenId !== user.tokenId) throw unauthenticated('invalid token');
    if (resetHash !== undefined && (await readReset(tx, resetHash)) === undefined) throw invalidCredentials();
    await writeUser(tx, { ...now, passwordHash, tokenId: newTokenId(), mustChange: false });
    await removeReset(tx, user.username);
  });
}

/** A one-time token with which a user sets a new password. */
interface StoredReset {
  readonly username: string;
  /** SHA-256 of the token, as hexadecimal digits. */
  readonly hash: string;
  /** Unix seconds. */
  readonly expiresAt: number;
}

interface ResetRow extends Row {
  readonly username: string;
  readonly hash: string;
  readonly expires_at: number;
}

async function readReset(queries: Queries, hash: string): Promise<StoredReset | undefined> {
  const row = await queries.get<ResetRow>('SELECT username, hash, expires_at FROM password_resets WHERE hash = ?', [
    hash,
  ]);
  return row && { username: row.username, hash: row.hash, expiresAt: row.expires_at };
}

/** Replaces an earlier token of the user. */
async function writeReset(tx: Transaction, { username, hash, expiresAt }: StoredReset): Promise<void> {
  await removeReset(tx, username);
  await tx.run('INSERT INTO password_resets(username, hash, expires_at) VALUES (?, ?, ?)', [username, hash, expiresAt]);
}

async function removeReset(tx: Transaction, username: string): Promise<void> {
  await tx.run('DELETE FROM password_resets WHERE username = ?', [username]);
}
