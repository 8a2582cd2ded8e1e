import { ServiceError } from '../errors/index.ts';
import { isSystemCollection } from '../lib/system-collection.ts';
import { enforceAccessMode, enforceOrigin } from './authorize.ts';
import type { AccessMode, Caller, Protocol } from './caller.ts';
import { ANONYMOUS, EVERYONE, type Guard, type Identity } from './identity.ts';
import type { OperationSpec } from './spec.ts';

export interface PermitsOptions<Operations> {
  readonly operations: { readonly [K in keyof Operations]: OperationSpec };
  /** Ids of the operations that have a handler. */
  readonly built: ReadonlySet<string>;
  /** Whether an operation refuses every call because its feature is disabled. */
  readonly isOff?: (id: string) => boolean;
  readonly mode: (protocol: Protocol) => AccessMode;
  /** If absent, every caller may do everything. */
  readonly guard?: Guard;
}

/** Returns the operations that can succeed for a caller; the collections in an input are not considered. */
export type Permits = (caller: Caller) => Promise<(id: string) => boolean>;

/**
 * Tells which operations should be offered to a caller: those that are implemented and enabled, that the access mode
 * allows, and for which the caller has the permission on some collection. `invoke` still decides about each call.
 */
export function createPermits<Operations>(
  { operations, built, isOff = () => false, mode, guard }: PermitsOptions<Operations>,
): Permits {
  const table = operations as Readonly<Record<string, OperationSpec>>;
  // Any operation that is not public can stand for all of them here, because a guard requires a credential regardless
  // of the operation.
  const closed = Object.values(table).find(({ access }) => access === 'read');
  const identify = async (caller: Caller): Promise<Identity> => {
    if (guard === undefined || closed === undefined) return EVERYONE;
    try {
      return await guard.identify(closed, caller);
    } catch (error) {
      if (error instanceof ServiceError && error.status === 401) return ANONYMOUS;
      throw error;
    }
  };
  return async (caller) => {
    const identity = await identify(caller);
    return (id) => {
      const spec = table[id];
      return spec !== undefined && built.has(id) && !isOff(id) && isLetThrough(mode(caller.protocol), caller, spec) &&
        mayCall(spec, identity);
    };
  };
}

function isLetThrough(mode: AccessMode, caller: Caller, spec: OperationSpec): boolean {
  try {
    enforceOrigin(caller, spec);
    enforceAccessMode(mode, spec.effect);
    return true;
  } catch {
    return false;
  }
}

function mayCall(spec: OperationSpec, identity: Identity): boolean {
  const { access, collections = [] } = spec;
  if (access === 'public') return true;
  if (identity.refusal?.(spec) !== undefined) return false;
  if (identity.admin) return true;
  if (identity === ANONYMOUS) return false;
  if (access === 'user') return true;
  const own = collections.filter(isSystemCollection);
  if (own.length > 0) return own.every((name) => identity.may(access, name));
  if (collections.length === 0) return identity.administers === true;
  return identity.mayAnywhere?.(access) ?? true;
}
