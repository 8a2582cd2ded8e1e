import type { Credential } from '../lib/headers.ts';
import type { AnswerBudget } from './answer-budget.ts';
import type { Session } from './session.ts';

/** A stream that is sent as it arrives. */
export interface StreamedBody {
  readonly content: AsyncIterable<Uint8Array>;
  /** Maximum number of bytes of one record in it; the same as for a body that is read at once. */
  readonly maxRecordBytes: number;
}

/** The caller and the protocol; adapters create one for each request. */
export interface Caller extends Session {
  readonly protocol: Protocol;
  readonly requestId: string;
  /** Address of the peer, if the protocol has one. */
  readonly ip?: string;
  readonly userAgent?: string;
  readonly credential?: Credential;
  /**
   * Set if the adapter admitted the caller by a key of its own protocol, or because only this machine's user can reach
   * it: the operator, who may do everything that the adapter offers. Never derived from the content of a request.
   */
  readonly trustedAs?: string;
  /** When that key expires, in Unix milliseconds; absent for never. */
  readonly trustedUntil?: number | undefined;
  /**
   * Throws if the adapter would not admit the caller any more; called when rights may have changed. Absent where that
   * cannot happen.
   */
  readonly confirmTrust?: () => Promise<void>;
  /**
   * The reason why the caller may only read, whatever other permissions there are: a web page of an origin that is not
   * listed, or a browser that shows a page.
   */
  readonly readsOnly?: string;
  /** Whether a browser wants the response as a part of a page, such as an image or a script. */
  readonly isPart?: boolean;
  /** Aborts when the client has disconnected. */
  readonly signal?: AbortSignal;
  /** For operations that read a stream in addition to their input. */
  readonly body?: StreamedBody;
  /** The W3C `traceparent` of the call, if its protocol does not create a span for it. */
  readonly traceparent?: string;
  /** Limit for the whole response if several operations share it; if absent, each has its protocol's limit. */
  readonly budget?: AnswerBudget;
}

export type Protocol = 'http' | 'http3' | 'grpc' | 'graphql' | 'mcp';

export type AccessMode = 'read' | 'write' | 'wr';
