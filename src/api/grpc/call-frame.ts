import { Metadata, type StatusObject } from '@grpc/grpc-js';
import { requestIdOf } from '../../lib/headers.ts';
import type { Log } from '../../lib/log.ts';
import type { ReadAddress } from '../../lib/trusted-proxies.ts';
import { type Caller, isFault, LSN_HEADER, MIN_LSN_HEADER, parseMinLsn,
  toServiceError } from '../../operations/index.ts';
import { CallEnded, callerOf, type CancellableCall, type IncomingCall, signalOf, text } from './request.ts';
import { statusOf } from './status.ts';

/** What every kind of call has. */
export interface AnyCall extends IncomingCall, CancellableCall {
  getPath(): string;
  sendMetadata(metadata: Metadata): void;
}

export interface FrameOptions {
  readonly log: Log;
  /** Logs each call (`SVC_ACCESS_LOG`). */
  readonly accessLog: boolean;
  /** The caller's address, taking proxies in front of the server into account. */
  readonly readAddress: ReadAddress;
}

/** The outcome of a call: the response to send, or the error. */
export type Ending<T> = { readonly value: T } | { readonly status: StatusObject };

/** Sends the initial metadata of a response, once; `headers` are the operation's. */
export type SendHead = (headers?: Readonly<Record<string, string>>) => void;

/**
 * Runs a call's work with what every call needs: caller, request id, deadline, and the handling of errors and the log.
 * Never rejects.
 */
export async function frameCall<T>(call: AnyCall, options: FrameOptions,
  work: (caller: Caller & { readonly signal: AbortSignal }, sendHead: SendHead) => Promise<T>): Promise<Ending<T>>
{
  const start = performance.now();
  const requestId = requestIdOf(text(call.metadata, 'x-request-id'));
  const signal = signalOf(call);
  const caller = { ...callerOf(call, requestId, signal, options.readAddress), signal };
  let ending: Ending<T>;
  let lsn: number | undefined;
  try {
    const minLsn = parseMinLsn(text(call.metadata, MIN_LSN_HEADER));
    const onLsn = (written: number): void => void (lsn = written);
    ending = {
      value: await work({ ...caller, minLsn, onLsn }, (headers) =>
        sendHead(call, requestId, { ...headers, ...(lsn !== undefined && { [LSN_HEADER]: String(lsn) }) })),
    };
  } catch (thrown) {
    report(call, requestId, thrown, options.log);
    ending = { status: statusOf(thrown, requestId) };
  }
  if (options.accessLog) {
    const code = 'status' in ending ? ending.status.code : 0;
    options.log.info({
      requestId,
      method: call.getPath(),
      code,
      ms: Math.round((performance.now() - start) * 100) / 100,
      ip: caller.ip,
    }, 'request');
  }
  return ending;
}

function sendHead(call: AnyCall, requestId: string, headers: Readonly<Record<string, string>> = {}): void {
  const metadata = new Metadata();
  metadata.set('x-request-id', requestId);
  for (const [name, value] of Object.entries(headers)) metadata.set(name.toLowerCase(), value);
  call.sendMetadata(metadata);
}

/** As in the HTTP adapter: errors that are the server's fault are logged, with their cause. */
function report(call: AnyCall, requestId: string, thrown: unknown, log: Log): void {
  if (thrown instanceof CallEnded) return;
  const error = toServiceError(thrown);
  if (isFault(error))
    log.error({ requestId, operation: call.getPath(), code: error.code, err: error.cause ?? thrown }, 'request failed');
}
