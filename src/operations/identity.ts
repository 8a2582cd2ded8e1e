import type { OperationSpec } from './spec.ts';

/** What is allowed on a collection, each by itself (contract section 5, rule 7). */
export type Permission = 'read' | 'write' | 'admin';

/** Who calls, as far as operations and their handlers need to know it. */
export interface Identity {
  /** Empty where nobody signed in. */
  readonly username: string;
  /** May do everything, on every collection. */
  readonly admin: boolean;
  /** How the caller was known: `adapter` by a key that the protocol itself has checked. */
  readonly by: 'nothing' | 'token' | 'api-key' | 'adapter';
  /** When the credential expires, in Unix milliseconds; absent for never. */
  readonly expiresAt?: number;
  /** Letter case of the collection's name does not matter. */
  may(permission: Permission, collection: string): boolean;
  /** Whether there is a collection, those of the system aside, on which the permission may hold; absent where that is not known. */
  mayAnywhere?(permission: Permission): boolean;
  /** Why the credential is not good for an operation, whatever its owner may; undefined where it is. Absent: good for all. */
  refusal?(operation: OperationSpec): string | undefined;
  /** Whether operations that no collection decides about are allowed although `admin` is false: those that `refusal` lets pass. */
  readonly administers?: boolean;
  /** Whether answers leave the bodies of documents out: the credential is for searches only. */
  readonly withoutBodies?: boolean;
}

/** Every caller of a service without authentication. */
export const EVERYONE: Identity = { username: '', admin: true, by: 'nothing', may: () => true };

/** Callers of public operations, who need not say who they are. */
export const NOBODY: Identity = { username: '', admin: false, by: 'nothing', may: () => false };
