import { unixSeconds } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import type { Passwords } from './credentials/passwords.ts';
import { newTokenId } from './credentials/tokens.ts';
import { hasAdmin, readUser, type StoredUser, writeUser } from './user-rows.ts';
import { type AccessStore, write } from './write.ts';

interface BootstrapDeps extends AccessStore {
  readonly passwords: Passwords;
  readonly log: Log;
}

interface BootstrapSettings {
  readonly adminUsername: string;
  readonly adminPassword: string;
  /** Sets a new password, and makes the user an administrator again. */
  readonly adminReset: boolean;
}

/**
 * Makes sure that the first administrator exists (contract section 5, rule 1). An existing one is not changed, unless a
 * reset is requested; the reset is done once, because a second one would find nothing to change (decisions section
 * 5.1).
 */
export async function bootstrapAdmin(deps: BootstrapDeps,
  { adminUsername, adminPassword, adminReset }: BootstrapSettings): Promise<void>
{
  const { sql, clock, passwords, log } = deps;
  const user = await readUser(sql, adminUsername);
  if (user === undefined) {
    await store(deps,
      await administrator(passwords, { username: adminUsername, uid: newTokenId(), createdAt: unixSeconds(clock) },
        adminPassword));
    log.info({ username: adminUsername }, 'administrator created');
  } else if (adminReset && !(await isAsAsked(passwords, user, adminPassword))) {
    await store(deps, await administrator(passwords, user, adminPassword));
    log.warn({ username: adminUsername },
      'administrator reset, and signed out everywhere; unset SVC_AUTH_ADMIN_RESET now');
  }
  if (!(await hasAdmin(sql))) {
    log.warn({ username: adminUsername },
      'nobody can administer this server: restart it once with SVC_AUTH_ADMIN_RESET=true');
  }
}

async function isAsAsked(passwords: Passwords, user: StoredUser, password: string): Promise<boolean> {
  return user.admin && !user.disabled && (await passwords.matches(password, user.passwordHash));
}

async function administrator(passwords: Passwords,
  { username, uid, createdAt }: Pick<StoredUser, 'username' | 'uid' | 'createdAt'>,
  password: string): Promise<StoredUser>
{
  return {
    username,
    uid,
    tokenId: newTokenId(),
    passwordHash: await passwords.hash(password),
    admin: true,
    disabled: false,
    mustChange: false,
    createdAt,
  };
}

function store(deps: BootstrapDeps, user: StoredUser): Promise<void> {
  return write(deps, { kind: 'user.put', key: user.username }, (tx) => writeUser(tx, user));
}
