import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { AbandonSchema, type Assignment, CancelSchema, CompletedSchema, DrainSchema, HeartbeatAckSchema,
  ReconnectSchema, type Resume, ResumeAction, ResumeSchema, type ServerMessage, ServerMessageSchema, UndrainSchema,
  WelcomeSchema } from '../../../../generated/proto/quire/fleet/v1/fleet_pb.js';
import type { RunRef } from '../../queue/port.ts';
import { writeRef } from '../refs.ts';

// The messages that a server sends, in the form of the protocol.

export const welcome = (value: MessageInitShape<typeof WelcomeSchema>): ServerMessage =>
  message({ case: 'welcome', value: create(WelcomeSchema, value) });

export function ack(seq: bigint, { renewed, lost }: { renewed: readonly RunRef[]; lost: readonly RunRef[] },
  nowMs: number): ServerMessage
{
  return message({
    case: 'ack',
    value: create(HeartbeatAckSchema, {
      seq,
      renewed: renewed.map(writeRef),
      lost: lost.map(writeRef),
      serverUnixMs: BigInt(nowMs),
    }),
  });
}

/** Leases are not extended because the store refuses writes; they do not end either. */
export const unavailable = (seq: bigint, nowMs: number): ServerMessage =>
  message({
    case: 'ack',
    value: create(HeartbeatAckSchema, { seq, serverUnixMs: BigInt(nowMs), storeUnavailable: true }),
  });

export const assignmentMessage = (value: Assignment): ServerMessage => message({ case: 'assignment', value });

export const cancel = (ref: RunRef, graceMs: number): ServerMessage =>
  message({ case: 'cancel', value: create(CancelSchema, { ref: writeRef(ref), graceMs: BigInt(graceMs) }) });

export const abandon = (ref: RunRef, reason: string): ServerMessage =>
  message({ case: 'abandon', value: create(AbandonSchema, { ref: writeRef(ref), reason }) });

/** Without a deadline: runs may finish normally. `exit`: the program exits when no run is left. */
export const drain = (exit: boolean): ServerMessage =>
  message({ case: 'drain', value: create(DrainSchema, { deadlineMs: 0n, exit }) });

export const undrain = (): ServerMessage => message({ case: 'undrain', value: create(UndrainSchema, {}) });

export const reconnect = (afterMs: number): ServerMessage =>
  message({ case: 'reconnect', value: create(ReconnectSchema, { afterMs: BigInt(afterMs) }) });

export const completed = (value: MessageInitShape<typeof CompletedSchema>): ServerMessage =>
  message({ case: 'completed', value: create(CompletedSchema, value) });

const ACTIONS = { continue: ResumeAction.CONTINUE, stop: ResumeAction.STOP, discard: ResumeAction.DISCARD } as const;

export function resume(ref: RunRef, action: keyof typeof ACTIONS, nextSeq: number): Resume {
  return create(ResumeSchema, { ref: writeRef(ref), action: ACTIONS[action], nextSeq: BigInt(nextSeq) });
}

const message = (body: ServerMessage['body']): ServerMessage => create(ServerMessageSchema, { body });
