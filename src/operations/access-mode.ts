import { ServiceError } from '../errors/index.ts';
import type { AccessMode } from './caller.ts';
import type { Effect } from './spec.ts';

/** Throws where the access mode refuses an effect (contract section 1, decisions D-11 and D-12). */
export function enforceAccessMode(mode: AccessMode, effect: Effect): void {
  if (mode === 'read' && effect === 'write') throw new ServiceError('read_only', 'read-only mode');
  if (mode === 'write' && effect === 'read') throw new ServiceError('write_only', 'write-only mode');
}
