import { create } from '@bufbuild/protobuf';
import { type RunRef as WireRef, RunRefSchema } from '../../../generated/proto/quire/fleet/v1/fleet_pb.js';
import type { RunRef } from '../queue/port.ts';
import { FleetRefusal } from './port.ts';

const RUN_ID = /^[0-9a-f]{32}$/;

/** A ref in the form of the queue; undefined if it does not name an attempt. */
export function readRef(ref: WireRef | undefined): RunRef | undefined {
  if (ref === undefined || !RUN_ID.test(ref.runId) || ref.attempt < 1 ||
    ref.fencingToken > BigInt(Number.MAX_SAFE_INTEGER)) return undefined;
  return { runId: ref.runId, attempt: ref.attempt, fence: Number(ref.fencingToken) };
}

export function requireRef(ref: WireRef | undefined): RunRef {
  const known = readRef(ref);
  if (known === undefined) throw new FleetRefusal('invalid_argument', 'ref must name an attempt of a run');
  return known;
}

export function writeRef({ runId, attempt, fence }: RunRef): WireRef {
  return create(RunRefSchema, { runId, attempt, fencingToken: BigInt(fence) });
}

export const isSameRef = (one: RunRef, other: RunRef): boolean =>
  one.runId === other.runId && one.attempt === other.attempt && one.fence === other.fence;
