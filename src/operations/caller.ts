import type { Credential } from '../lib/credential.ts';
import type { AnswerBudget } from './answer-budget.ts';

/** Who calls and through what; adapters make one for each request. */
export interface Caller {
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
  /** What the whole answer may hold, where several operations go into one; absent: each has its protocol's. */
  readonly budget?: AnswerBudget;
}

export type Protocol = 'http' | 'grpc' | 'graphql' | 'mcp';

export type AccessMode = 'read' | 'write' | 'wr';
