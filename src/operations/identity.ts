import type { Caller } from './caller.ts';
import type { OperationSpec } from './spec.ts';

/** What is allowed on a collection, each by itself (contract section 5, rule 7). */
export type Permission = 'read' | 'write' | 'admin';

/** The caller, as far as operations and their handlers need to know. */
export interface Identity {
  /** Empty if the caller has not signed in. */
  readonly username: string;
  /**
   * The id of the user's record, which no other user gets, not even a later one of the same name; absent for callers
   * who are no users.
   */
  readonly account?: string;
  /** May do everything in every collection. */
  readonly admin: boolean;
  /**
   * Names of roles and groups that the credential brings along, besides what is stored for the user; absent for none.
   */
  readonly claimed?: { readonly roles: readonly string[]; readonly groups: readonly string[] };
  /** How the caller was identified: `adapter` means by a key that the protocol itself has checked. */
  readonly by: 'nothing' | 'token' | 'api-key' | 'adapter';
  /** When the credential expires, in Unix milliseconds; absent for never. */
  readonly expiresAt?: number;
  /** The collection's name is case-insensitive. */
  may(permission: Permission, collection: string): boolean;
  /**
   * Whether the permission may apply to at least one collection other than system collections; absent if that is not
   * known.
   */
  mayAnywhere?(permission: Permission): boolean;
  /**
   * Why the credential is not good for an operation, whatever its owner may; undefined where it is. Absent: good for
   * all.
   */
  refusal?(operation: OperationSpec): string | undefined;
  /**
   * Whether operations that no collection decides about are allowed although `admin` is false: those that `refusal`
   * lets pass.
   */
  readonly administers?: boolean;
  /** Whether answers leave the bodies of documents out: the credential is for searches only. */
  readonly withoutBodies?: boolean;
}

/** Every caller of a service without authentication. */
export const EVERYONE: Identity = { username: '', admin: true, by: 'nothing', may: () => true };

/** The identity of callers of public operations, who need no credential. */
export const ANONYMOUS: Identity = { username: '', admin: false, by: 'nothing', may: () => false };

/** Identifies callers; a service without a guard allows every caller everything. */
export interface Guard {
  /**
   * Identifies the caller of an operation from its credentials alone. Throws `unauthenticated` if the operation needs a
   * credential and there is no valid one, and `not_found` if the operation must stay invisible.
   */
  identify(operation: OperationSpec, caller: Caller): Identity | Promise<Identity>;
  /**
   * A value that is another one as soon as `identify` could decide differently, except by the expiry of a credential.
   * If the method is absent, callers are identified at every check.
   */
  version?(): unknown;
}
