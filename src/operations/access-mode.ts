import { ServiceError } from '../errors/index.ts';
import type { AccessMode, Caller } from './caller.ts';
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
