import { ServiceError } from '../../errors/index.ts';
import { forbidden, type Identity, type Permission, type Standing } from '../../operations/index.ts';
import type { Accounts } from './accounts.ts';
import type { ClaimedRights } from './oidc/oidc.ts';

/** A user for whom work goes on after the request, such as a job. */
export interface BackgroundUser {
  readonly username: string;
  /** The id of the user's record. */
  readonly account: string;
  /** The rights that an issuer's claims stood for at the request. */
  readonly claimed?: ClaimedRights;
}

/** Undefined for callers who are no users: while authentication is off, and for keys of the server. */
export function backgroundUserOf({ username, account, claimed }: Identity): BackgroundUser | undefined {
  return account === undefined ? undefined : { username, account, claimed };
}

/**
 * The right of a user's background work to a collection. It is what the user may do at that time, not at the request.
 */
export class BackgroundStanding implements Standing {
  readonly #accounts: Accounts;
  readonly #user: BackgroundUser;
  readonly #permission: Permission;
  readonly #collection: string;
  #confirmed: number | undefined;

  constructor(accounts: Accounts, user: BackgroundUser, permission: Permission, collection: string) {
    this.#accounts = accounts;
    this.#user = user;
    this.#permission = permission;
    this.#collection = collection;
  }

  isPermitted(): boolean {
    return this.#confirmed === this.#accounts.changes;
  }

  async requirePermission(): Promise<void> {
    if (this.isPermitted()) return;
    const { username, account: uid, claimed } = this.#user;
    const before = this.#accounts.changes;
    const account = await this.#accounts.account(username, claimed);
    if (account?.uid !== uid) throw refused(username, 'was deleted');
    if (account.disabled) throw refused(username, 'is disabled');
    if (!account.admin && !account.grants.may(this.#permission, this.#collection))
      throw forbidden(this.#permission, this.#collection);
    this.#confirmed = before;
  }
}

function refused(username: string, why: string): ServiceError {
  return new ServiceError('forbidden', `forbidden: the user ${username}, whose work this is, ${why}`);
}
