import { ServiceError } from '../errors/index.ts';
import { isSystemCollection } from '../lib/system-collection.ts';
import { valueAt } from './answers.ts';
import { type AccessMode, ANONYMOUS, type Caller, EVERYONE, type Guard, type Identity, type Permission,
  type Protocol } from './caller.ts';
import type { Effect, OperationSpec } from './spec.ts';

/**
 * Throws if the access mode forbids an effect (contract section 1), or if a reason is given why writes
 * are refused altogether, as on a follower.
 */
export function enforceAccessMode(mode: AccessMode, effect: Effect, readOnlyReason?: string): void {
  if (readOnlyReason !== undefined && effect === 'write') throw new ServiceError('read_only', readOnlyReason);
  if (mode === 'read' && effect === 'write') throw new ServiceError('read_only', 'read-only mode');
  if (mode === 'write' && effect === 'read') throw new ServiceError('write_only', 'write-only mode');
}

/** Whether an operation stores something: a write in terms of the access modes, or a file on the server. */
export function changesState({ effect, stores }: OperationSpec): boolean {
  return effect === 'write' || stores === true;
}

/** Throws if the caller may only read, or wants a part of a page from an operation that returns none. */
export function enforceOrigin({ readsOnly, isPart }: Caller, spec: OperationSpec): void {
  if (readsOnly !== undefined && changesState(spec)) throw new ServiceError('forbidden', readsOnly);
  if (isPart === true && !spec.produces.some((type) => PARTS.test(type))) {
    throw new ServiceError('forbidden',
      `${spec.method} ${spec.path} returns no part of a page, such as an image or a script; call it from a script ` +
        'or from a program');
  }
}

/** Media types of what a page can show within itself: images, and files of any type. */
const PARTS = /^(?:image\/|application\/octet-stream$)/;

/**
 * Maximum number of characters of a collection's name that a message repeats, because it has not been validated yet.
 */
const SHOWN = 80;

/**
 * Throws `forbidden` or `admin_required` if the identity may not call the operation with this input (contract section
 * 5, rules 7 and 8; openapi/README.md, `x-access` and `x-collections`).
 */
export function authorize(spec: OperationSpec, identity: Identity, input: object): void {
  requireOperation(spec, identity);
  if (spec.access === 'public' || identity.admin) return;
  const names = namedCollections(spec, input) ?? [];
  if (spec.access !== 'user' && names.length === 0) return requireAdministrator(identity);
  requireOnAll(identity, spec.access === 'user' ? 'read' : spec.access, names);
  requireReadForConditions(spec, identity, input);
}

/**
 * The same check before validation, so that validation errors reveal nothing that the caller may not see. If the input
 * does not name a collection where it could, validation comes first, because it can explain the error; `authorize`
 * follows.
 */
export function refuseEarly(spec: OperationSpec, identity: Identity, input: object): void {
  requireOperation(spec, identity);
  if (spec.access === 'public' || identity.admin) return;
  const names = namedCollections(spec, input);
  const isOpen = names === undefined || (names.length === 0 && spec.collections !== undefined);
  if (!isOpen) authorize(spec, identity, input);
}

/** The outcome of a write on a condition tells whether the condition holds, and so what is stored. */
function requireReadForConditions(spec: OperationSpec, identity: Identity, input: object): void {
  const condition = spec.conditions?.find((path) => (valueAt(input, path) ?? false) !== false);
  if (condition === undefined || mayRead(spec, identity, input)) return;
  throw new ServiceError('forbidden',
    `forbidden: ${condition} asks what is stored, which needs read permission on the collection; send the write ` +
      'without it');
}

/** Whether the identity may read every collection that the input names; if it names none, only administrators may. */
export function mayRead(spec: OperationSpec, identity: Identity, input: object): boolean {
  if (identity.admin && identity.withoutBodies !== true) return true;
  const names = namedCollections(spec, input) ?? [];
  return names.length > 0 && names.every((name) => mayReadAll(identity, name));
}

/** Whether the identity may see whatever a collection stores: reading is allowed, and not for searches alone. */
export function mayReadAll(identity: Identity, collection: string): boolean {
  return identity.withoutBodies !== true && identity.may('read', collection);
}

/** Throws `forbidden` where the credential is not good for the operation. What is public needs none. */
function requireOperation(spec: OperationSpec, identity: Identity): void {
  const refusal = spec.access === 'public' ? undefined : identity.refusal?.(spec);
  if (refusal !== undefined) throw new ServiceError('forbidden', `forbidden: ${refusal}`);
}

function requireAdministrator({ administers }: Identity): void {
  if (administers !== true) throw adminRequired();
}

/** Undefined where a field holds what cannot be names. */
function namedCollections({ collections = [] }: OperationSpec, input: object): string[] | undefined {
  const names: string[] = [];
  for (const field of collections) {
    const value = isFixed(field) ? field : (input as Record<string, unknown>)[field];
    if (value === undefined || value === '') continue;
    const each: unknown[] = Array.isArray(value) ? value : [value];
    if (!each.every((name) => typeof name === 'string')) return undefined;
    // Composed as the validation does, which may come later.
    names.push(...each.map((name) => name.normalize('NFC')));
  }
  return names;
}

/** A system collection, which an operation always uses. */
function isFixed(field: string): boolean {
  return field.startsWith('_');
}

function requireOnAll(identity: Identity, permission: Permission, names: readonly string[]): void {
  const refused = names.find((name) => !identity.may(permission, name));
  if (refused === undefined) return;
  if (permission === 'admin') throw adminRequired();
  throw forbidden(permission, refused);
}

/** For handlers that know only from stored data which collection they use. */
export function forbidden(permission: Permission, collection: string): ServiceError {
  return new ServiceError('forbidden',
    `forbidden: no ${permission} permission on ${collection.slice(0, SHOWN).toWellFormed()}`);
}

function adminRequired(): ServiceError {
  return new ServiceError('admin_required', 'admin permission required');
}

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
