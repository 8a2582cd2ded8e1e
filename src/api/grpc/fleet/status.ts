import { Metadata, status as codes, type StatusObject } from '@grpc/grpc-js';
import { ERRORS, ServiceError } from '../../../errors/index.ts';
import type { RepeatedFailure } from '../../../lib/log.ts';
import { FleetRefusal } from '../../../runs/fleet/port.ts';

const REFUSALS = {
  invalid_argument: codes.INVALID_ARGUMENT,
  unauthenticated: codes.UNAUTHENTICATED,
  permission_denied: codes.PERMISSION_DENIED,
  not_found: codes.NOT_FOUND,
  failed_precondition: codes.FAILED_PRECONDITION,
  resource_exhausted: codes.RESOURCE_EXHAUSTED,
} as const satisfies Record<FleetRefusal['status'], codes>;

/** The status of a failed call. An unexpected error is logged, once while it repeats, and its details are not sent. */
export function statusOf(thrown: unknown, failure: Pick<RepeatedFailure, 'note'>): StatusObject {
  if (thrown instanceof FleetRefusal)
    return { code: REFUSALS[thrown.status], details: thrown.message, metadata: proving(thrown.revocation) };
  const metadata = new Metadata();
  failure.note(thrown);
  if (thrown instanceof ServiceError)
    return { code: codes[ERRORS[thrown.code].grpc], details: thrown.message, metadata };
  return { code: codes.INTERNAL, details: 'internal error', metadata };
}

/** Metadata with the proof that a ship is revoked, if there is one. */
export function proving(revocation: Uint8Array | undefined): Metadata {
  const metadata = new Metadata();
  if (revocation !== undefined) metadata.set('quire-revocation-bin', Buffer.from(revocation));
  return metadata;
}
