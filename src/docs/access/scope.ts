import { operations } from '../../../generated/docs/operations.ts';
import { isSystemCollection } from '../../lib/system-collection.ts';
import type { OperationSpec, Permission } from '../../operations/index.ts';
import { ALL_COLLECTIONS } from './grants.ts';

/** The restrictions of an API key; an absent field does not restrict it. */
export interface KeyScope {
  /** Lowercased names, or `*`. */
  readonly collections?: readonly string[];
  /** Ids of operations and classes of them. */
  readonly operations?: readonly string[];
}

/** Names that stand for many operations. */
export const CLASSES = ['read', 'write', 'admin', 'search'] as const;

const TABLE = operations as Readonly<Record<string, OperationSpec>>;

/** Whether an operation or a class of operations has this name. */
export function isOperationName(name: string): boolean {
  return (CLASSES as readonly string[]).includes(name) || Object.hasOwn(TABLE, name);
}

/**
 * Decides which operations a key allows. A scope only restricts: the rights of the owner are checked too. A key with
 * any restriction does not manage accounts, unless it names the operation.
 */
export class Scope {
  readonly #collections: ReadonlySet<string> | undefined;
  readonly #operations: ReadonlySet<string> | undefined;
  readonly #permissions: ReadonlySet<Permission> | undefined;
  /** Whether responses omit the bodies of documents. */
  readonly withoutBodies: boolean;

  constructor({ collections, operations: names }: KeyScope) {
    this.#collections = collections && new Set(collections);
    this.#operations = names && new Set(names);
    this.#permissions = names && new Set(names.flatMap(permissionsOf));
    this.withoutBodies = names !== undefined && !names.some(showsBodies);
  }

  /** Whether the key allows operations that concern no collection, if the owner may call them. */
  get isServerWide(): boolean {
    return this.#collections === undefined;
  }

  /** Why the key does not allow an operation; undefined if it does. */
  refusal(spec: OperationSpec): string | undefined {
    return this.#covers(spec) ? undefined : `the API key is not for ${spec.id}`;
  }

  permits(permission: Permission, collection: string): boolean {
    return this.#permissions?.has(permission) !== false && this.#holds(collection.toLowerCase());
  }

  /** Whether the operations of the key include this permission, whatever the collection. */
  permitsAnywhere(permission: Permission): boolean {
    return this.#permissions?.has(permission) !== false;
  }

  #covers(spec: OperationSpec): boolean {
    const names = this.#operations;
    if (names?.has(spec.id) === true) return true;
    if (spec.area === 'access') return spec.id === 'getCurrentUser' && names?.has('read') !== false;
    return names === undefined || names.has(classOf(spec)) || (names.has('search') && spec.search?.keys === true);
  }

  #holds(name: string): boolean {
    const names = this.#collections;
    return names === undefined || names.has(name) || (names.has(ALL_COLLECTIONS) && !isSystemCollection(name));
  }
}

function classOf({ access, effect }: OperationSpec): string {
  if (access === 'user') return effect === 'write' ? 'write' : 'read';
  return access;
}

/** The permissions on collections that an operation needs; operations for every user check several permissions. */
function permissionsOf(name: string): Permission[] {
  if (name === 'read' || name === 'write' || name === 'admin') return [name];
  const access = name === 'search' ? 'read' : TABLE[name]?.access;
  if (access === 'user') return ['read', 'write'];
  return access === undefined || access === 'public' ? [] : [access];
}

/** Whether a name lets a key read documents with their bodies. */
function showsBodies(name: string): boolean {
  if (name === 'read') return true;
  const spec = TABLE[name];
  return spec !== undefined && classOf(spec) === 'read' && spec.search?.keys !== true;
}
