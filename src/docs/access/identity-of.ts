import type { Identity, OperationSpec } from '../../operations/index.ts';
import type { Account } from './accounts.ts';
import type { ClaimedRights } from './oidc/claims.ts';
import { type KeyScope, Scope } from './scope.ts';

/** The identity of the holder of a token. An administrator bypasses all checks (contract section 5, rule 8). */
export function identityByToken(account: Account, expiresAt: number, claimed?: ClaimedRights): Identity {
  const identity: Identity = { ...rightsOf(account), by: 'token', expiresAt, ...(claimed && { claimed }) };
  return account.mustChange
    ? { ...identity, admin: false, may: () => false, mayAnywhere: () => false, refusal: refuseBeforeTheChange }
    : identity;
}

/** The identity of the holder of an API key: the rights of its owner, restricted by the key's scope. */
export function identityByKey(account: Account, given: KeyScope, expiresAt: number | undefined): Identity {
  const owner: Identity = { ...rightsOf(account), by: 'api-key', ...(expiresAt !== undefined && { expiresAt }) };
  if (given.collections === undefined && given.operations === undefined) return owner;
  const scope = new Scope(given);
  return {
    ...owner,
    admin: false,
    administers: owner.admin && scope.isServerWide,
    withoutBodies: scope.withoutBodies,
    may: (permission, collection) => scope.permits(permission, collection) && owner.may(permission, collection),
    mayAnywhere: (permission) => scope.permitsAnywhere(permission) && owner.mayAnywhere!(permission),
    refusal: (spec) => scope.refusal(spec),
  };
}

function rightsOf(
  { username, uid, admin, grants }: Account,
): Pick<Identity, 'username' | 'account' | 'admin' | 'may' | 'mayAnywhere'> {
  return {
    username,
    account: uid,
    admin,
    may: admin ? () => true : (permission, collection) => grants.may(permission, collection),
    mayAnywhere: (permission) => admin || grants.mayAnywhere(permission),
  };
}

function refuseBeforeTheChange({ passwordPending }: OperationSpec): string | undefined {
  return passwordPending === true ? undefined : 'the password has to be changed first, with changePassword';
}
