import { ServiceError } from '../errors/index.ts';
import { enforceAccessMode, enforceReadsOnly } from './access-mode.ts';
import type { AccessMode, Caller, Protocol } from './caller.ts';
import type { Guard } from './guard.ts';
import { EVERYONE, NOBODY, type Identity } from './identity.ts';
import type { OperationSpec } from './spec.ts';

export interface PermitsOptions<Operations> {
  readonly operations: { readonly [K in keyof Operations]: OperationSpec };
  /** Ids of the operations that have a handler. */
  readonly built: ReadonlySet<string>;
  /** Whether an operation refuses every call because its feature is switched off. */
  readonly isOff?: (id: string) => boolean;
  readonly mode: (protocol: Protocol) => AccessMode;
  /** Absent: everyone may do everything. */
  readonly guard?: Guard;
}

/** Returns which operations a caller may have success with; what an input names is not considered. */
export type Permits = (caller: Caller) => Promise<(id: string) => boolean>;

/**
 * Tells which operations are worth offering to a caller: those that are built and switched on, that the access mode lets
 * through, and for which the caller has the permission on some collection. `invoke` decides about each call all the same.
 */
export function createPermits<Operations>({ operations, built, isOff = () => false, mode, guard }: PermitsOptions<Operations>): Permits {
  const table = operations as Readonly<Record<string, OperationSpec>>;
  // Any operation that is not public stands for all of them here: a guard asks for a credential, not for what it is used.
  const closed = Object.values(table).find(({ access }) => access === 'read');
  const identify = async (caller: Caller): Promise<Identity> => {
    if (guard === undefined || closed === undefined) return EVERYONE;
    try {
      return await guard.identify(closed, caller);
    } catch (error) {
      if (error instanceof ServiceError && error.status === 401) return NOBODY;
      throw error;
    }
  };
  return async (caller) => {
    const identity = await identify(caller);
    return (id) => {
      const spec = table[id];
      return spec !== undefined && built.has(id) && !isOff(id) && isLetThrough(mode(caller.protocol), caller, spec) && mayCall(spec, identity);
    };
  };
}

function isLetThrough(mode: AccessMode, caller: Caller, spec: OperationSpec): boolean {
  try {
    enforceReadsOnly(caller, spec);
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
  if (identity === NOBODY) return false;
  if (access === 'user') return true;
  const own = collections.filter((name) => name.startsWith('_'));
  if (own.length > 0) return own.every((name) => identity.may(access, name));
  if (collections.length === 0) return identity.administers === true;
  return identity.mayAnywhere?.(access) ?? true;
}
