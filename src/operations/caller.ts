import { ServiceError } from '../errors/index.ts';
import type { Credential } from '../lib/headers.ts';
import type { AnswerBudget } from './answer-budget.ts';
import type { OperationSpec } from './spec.ts';

/** A stream that is sent as it arrives. */
export interface StreamedBody {
  readonly content: AsyncIterable<Uint8Array>;
  /** Maximum number of bytes of one record in it; the same as for a body that is read at once. */
  readonly maxRecordBytes: number;
  /** Headers of the request, in lowercase; only for bodies that somebody has signed (`x-raw-body`). */
  readonly headers?: Readonly<Record<string, string | readonly string[] | undefined>>;
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
  /** Whether another node asks for its client, because it lacks an index; the call is not forwarded again. */
  readonly isForwarded?: boolean;
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

/**
 * Header of the response to a write, and to each request that has the other header; metadata in gRPC. Its value is the
 * LSN of the change.
 */
export const LSN_HEADER = 'X-Quire-LSN';

/** Header of a request, and metadata in gRPC: the LSN that this server must have reached before it responds. */
export const MIN_LSN_HEADER = 'X-Quire-Min-LSN';

/** Read-your-writes: a client finds its own writes again on every server. */
export interface Session {
  /** The lowest LSN from which the response must be computed; absent for any. */
  readonly minLsn?: number;
  /**
   * Called before the response with the LSN of what this caller wrote or, if `minLsn` is given, was shown. Must not
   * throw.
   */
  readonly onLsn?: (lsn: number) => void;
}

/**
 * Parses `X-Quire-Min-LSN`; undefined without the header. Throws `invalid_argument` for anything but a whole number.
 */
export function parseMinLsn(text: string | readonly string[] | undefined): number | undefined {
  if (text === undefined) return undefined;
  const value = typeof text === 'string' && /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
  if (!Number.isSafeInteger(value))
    throw new ServiceError('invalid_argument',
      `${MIN_LSN_HEADER} must be a whole number as ${LSN_HEADER} of a write has it`);
  return value;
}

/** What is allowed on a collection, each by itself (contract section 5, rule 7). */
export type Permission = 'read' | 'write' | 'admin';

/** The caller, as far as operations and their handlers need to know. */
export interface Identity {
  /** Empty if the caller has not signed in. */
  readonly username: string;
  /**
   * The id of the user's record, which no other user gets, not even a later one of the same name; absent for callers
   * who are no users.
   */
  readonly account?: string;
  /** May do everything in every collection. */
  readonly admin: boolean;
  /**
   * Names of roles and groups that the credential brings along, besides what is stored for the user; absent for none.
   */
  readonly claimed?: { readonly roles: readonly string[]; readonly groups: readonly string[] };
  /** How the caller was identified: `adapter` means by a key that the protocol itself has checked. */
  readonly by: 'nothing' | 'token' | 'api-key' | 'adapter';
  /** When the credential expires, in Unix milliseconds; absent for never. */
  readonly expiresAt?: number;
  /** The collection's name is case-insensitive. */
  may(permission: Permission, collection: string): boolean;
  /**
   * Whether the permission may apply to at least one collection other than system collections; absent if that is not
   * known.
   */
  mayAnywhere?(permission: Permission): boolean;
  /**
   * Why the credential is not good for an operation, whatever its owner may; undefined where it is. Absent: good for
   * all.
   */
  refusal?(operation: OperationSpec): string | undefined;
  /**
   * Whether operations that no collection decides about are allowed although `admin` is false: those that `refusal`
   * lets pass.
   */
  readonly administers?: boolean;
  /** Whether answers leave the bodies of documents out: the credential is for searches only. */
  readonly withoutBodies?: boolean;
}

/** Every caller of a service without authentication. */
export const EVERYONE: Identity = { username: '', admin: true, by: 'nothing', may: () => true };

/** The identity of callers of public operations, who need no credential. */
export const ANONYMOUS: Identity = { username: '', admin: false, by: 'nothing', may: () => false };

/** Identifies callers; a service without a guard allows every caller everything. */
export interface Guard {
  /**
   * Identifies the caller of an operation from its credentials alone. Throws `unauthenticated` if the operation needs a
   * credential and there is no valid one, and `not_found` if the operation must stay invisible.
   */
  identify(operation: OperationSpec, caller: Caller): Identity | Promise<Identity>;
  /**
   * A value that is another one as soon as `identify` could decide differently, except by the expiry of a credential.
   * If the method is absent, callers are identified at every check.
   */
  version?(): unknown;
}
