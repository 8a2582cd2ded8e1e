import type { Credential } from '../lib/credential.ts';
import type { AnswerBudget } from './answer-budget.ts';
import type { Session } from './session.ts';

/** What is sent as it arrives. */
export interface StreamedBody {
  readonly content: AsyncIterable<Uint8Array>;
  /** Bytes that a record of it may have: as many as a body that is read at once. */
  readonly maxRecordBytes: number;
}

/** Who calls and through what; adapters make one for each request. */
export interface Caller extends Session {
  readonly protocol: Protocol;
  readonly requestId: string;
  /** Address of the peer, where the protocol has one. */
  readonly ip?: string;
  readonly userAgent?: string;
  readonly credential?: Credential;
  /**
   * Whom the adapter has let in by a key of its own protocol, or because only this machine's user can reach it:
   * an operator's own, who may do all that the adapter offers. Never made of what a request says.
   */
  readonly vouchedFor?: string;
  /** Why the caller may only read, whatever else is allowed: a web page of an origin that nobody named (decision D-140). */
  readonly readsOnly?: string;
  /** Aborts when the client has gone. */
  readonly signal?: AbortSignal;
  /** For operations that read a stream beside their input. */
  readonly body?: StreamedBody;
  /** The W3C `traceparent` that came with the call, where its protocol has no span of its own around it. */
  readonly traceparent?: string;
  /** What the whole answer may hold, where several operations go into one; absent: each has its protocol's. */
  readonly budget?: AnswerBudget;
}

export type Protocol = 'http' | 'http3' | 'grpc' | 'graphql' | 'mcp';

export type AccessMode = 'read' | 'write' | 'wr';
