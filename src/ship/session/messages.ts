import { create } from '@bufbuild/protobuf';
import { AcceptSchema, HeartbeatSchema, HeldRunSchema, HelloSchema, RejectSchema, type RunRef, type ShipInfo,
  type ShipMessage, ShipMessageSchema } from '../../../generated/proto/quire/fleet/v1/fleet_pb.js';
import type { HeldRun } from '../run/index.ts';

/** The messages that a ship sends on the control stream. */

export const hello = (sessionId: Uint8Array, info: ShipInfo, held: readonly HeldRun[]): ShipMessage =>
  create(ShipMessageSchema, {
    body: {
      case: 'hello',
      value: create(HelloSchema, {
        sessionId,
        info,
        held: held.map(({ ref, isFinished }) => create(HeldRunSchema, { ref, finished: isFinished })),
      }),
    },
  });

export const heartbeat = (seq: number, unixMs: number, held: readonly HeldRun[], freeSlots: number,
  draining: boolean): ShipMessage =>
  create(ShipMessageSchema, {
    body: {
      case: 'heartbeat',
      value: create(HeartbeatSchema, {
        seq: BigInt(seq),
        held: held.map(({ ref }) => ref),
        freeSlots,
        draining,
        unixMs: BigInt(Math.round(unixMs)),
      }),
    },
  });

export const accept = (ref: RunRef): ShipMessage =>
  create(ShipMessageSchema, { body: { case: 'accept', value: create(AcceptSchema, { ref }) } });

export const reject = (ref: RunRef, reason: 'full' | 'draining' | 'unsupported'): ShipMessage =>
  create(ShipMessageSchema, { body: { case: 'reject', value: create(RejectSchema, { ref, reason }) } });
