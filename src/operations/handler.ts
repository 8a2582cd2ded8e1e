import { ServiceError } from '../errors/index.ts';
import type { AnswerBudget } from './answer-budget.ts';
import type { Caller, Identity } from './caller.ts';
import type { Operation } from './spec.ts';

/** What a handler receives in addition to its input. */
export interface Context {
  readonly caller: Caller;
  /**
   * The caller, as of the last `requirePermission`. A result that is collected from several collections must contain
   * only those that the caller may read.
   */
  readonly identity: Identity;
  /**
   * Resolves if the caller could make the call again now, otherwise rejects with the reason. Long work calls it before
   * each transaction and after each wait; while nothing has changed, that costs next to nothing.
   */
  requirePermission(): Promise<void>;
  /**
   * Whether nothing has changed since the last decision, so that `requirePermission` need not be called; for the
   * beginning of a transaction.
   */
  isPermitted(): boolean;
  /** Tells who turned out to call an operation that lets somebody in, for those who observe. */
  readonly setActor?: (username: string) => void;
  /**
   * Aborts when the client has gone or the request has taken too long and, for an operation without a time limit, when
   * the caller has lost the permission; the reason is the error then.
   */
  readonly signal: AbortSignal;
  /** Size limit of the response. */
  readonly budget: AnswerBudget;
}

/** The right to go on that a call has; background work has another one. */
export type Standing = Pick<Context, 'requirePermission' | 'isPermitted'>;

/** The limits of the work for a response: the request's signal and the size of the response. */
export type AnswerBounds = Pick<Context, 'signal' | 'budget'>;

/** A result with additional headers, such as `X-Total-Count`; other protocols map them to fields. */
export class Reply<T> {
  readonly value: T;
  readonly headers: Readonly<Record<string, string>>;
  /** One of the operation's `otherStatuses`; absent for the usual one. Only HTTP distinguishes them. */
  readonly status?: number;

  constructor(value: T, headers: Readonly<Record<string, string>> = {}, status?: number) {
    this.value = value;
    this.headers = headers;
    if (status !== undefined) this.status = status;
  }
}

/** The error that is sent for anything that a handler throws: unknown errors reveal no details. */
export function toServiceError(thrown: unknown): ServiceError {
  return thrown instanceof ServiceError ? thrown : new ServiceError('internal', 'internal error', { cause: thrown });
}

/** Whether an error is the server's fault, which is logged with its cause. */
export function isFault({ status, code }: ServiceError): boolean {
  return status >= 500 && code !== 'not_implemented';
}

export type Handler<Input, Output> = (input: Input, context: Context) => Promise<Output | Reply<Output>>;

/**
 * The handlers of a service, by operation id. An absent handler makes the operation return 501. An area implements its
 * part: `Pick<Handlers<Operations>, 'addDocument' | ...>`.
 */
export type Handlers<Operations> = {
  readonly [K in keyof Operations]?: Operations[K] extends Operation<infer Input, infer Output> ? Handler<Input, Output>
    : never;
};

export type InputOf<Operations, K extends keyof Operations> = Operations[K] extends Operation<infer Input, unknown>
  ? Input
  : never;

export type OutputOf<Operations, K extends keyof Operations> = Operations[K] extends Operation<object, infer Output>
  ? Output
  : never;

/** The result of an operation that returns a file rather than JSON. */
export interface Download {
  readonly contentType: string;
  /** The suggested file name; absent for text that is displayed rather than saved. */
  readonly fileName?: string;
  /** Each piece must reach the client at once, so compression must not buffer it. */
  readonly live?: boolean;
  readonly content: AsyncIterable<Uint8Array> | string;
}
