import { Metadata, status as codes, type StatusObject } from '@grpc/grpc-js';
import { ERRORS, ServiceError } from '../../../errors/index.ts';
import type { Log } from '../../../lib/log.ts';
import { FleetRefusal } from '../../../runs/fleet/port.ts';

const REFUSALS = {
  invalid_argument: codes.INVALID_ARGUMENT,
  unauthenticated: codes.UNAUTHENTICATED,
  permission_denied: codes.PERMISSION_DENIED,
  failed_precondition: codes.FAILED_PRECONDITION,
  resource_exhausted: codes.RESOURCE_EXHAUSTED,
} as const satisfies Record<FleetRefusal['status'], codes>;

/** The status of a call that failed. What was not thrown on purpose is logged, and gives nothing of itself away. */
export function statusOf(thrown: unknown, log: Log, rpc: string): StatusObject {
  const metadata = new Metadata();
  if (thrown instanceof FleetRefusal) return { code: REFUSALS[thrown.status], details: thrown.message, metadata };
  log.error({ err: thrown, rpc }, 'a call of a ship failed');
  if (thrown instanceof ServiceError) return { code: codes[ERRORS[thrown.code].grpc], details: thrown.message, metadata };
  return { code: codes.INTERNAL, details: 'internal error', metadata };
}
