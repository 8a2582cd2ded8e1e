import { Metadata, type Responder, ServerInterceptingCall, type ServerInterceptingCallInterface, type ServerInterceptor,
  type ServerMethodDefinition } from '@grpc/grpc-js';
import { requestIdOf } from '../../lib/headers.ts';
import type { Log } from '../../lib/log.ts';
import type { SlowBodyReports } from '../../lib/slow-bodies.ts';
import type { ReadAddress } from '../../lib/trusted-proxies.ts';
import type { QuotaHeaders, RateLimit, Sender } from '../../operations/index.ts';
import { type CallKind, MessageWaits, WaitingCall, type Waits } from './message-waits.ts';
import { senderOf, text } from './request.ts';
import { statusOf } from './status.ts';

export interface GateOptions {
  readonly log: Log;
  readonly accessLog: boolean;
  readonly readAddress: ReadAddress;
  /** Counts every call except those of `unlimited`; without it there is no rate limit. */
  readonly limit?: RateLimit | undefined;
  /** Paths of calls that are exempt from the rate limit. */
  readonly unlimited: ReadonlySet<string>;
  readonly waits: Waits;
  /** Bounds the calls of each client that wait for their messages; absent where all clients are trusted. */
  readonly slowBodies?: SlowBodyReports | undefined;
}

/**
 * Runs before every call: counts it before its messages are read, sends the client its quota in the initial metadata,
 * and ends calls whose messages do not arrive.
 */
export function createGate(options: GateOptions): ServerInterceptor {
  const { limit, unlimited, waits } = options;
  const messages = new MessageWaits(waits, options.slowBodies);
  return (method, call) => {
    const { path } = method;
    const kind = kindOf(method);
    // Such streams may rest for any time, so there is nothing to watch.
    if (limit === undefined && kind === 'conversation' && waits.conversationMs === Infinity)
      return call as ServerInterceptingCall;
    let head = NOTHING;
    const sender = (): Sender => senderOf({ metadata: head, getPeer: () => call.getPeer() }, options.readAddress);
    const waiting = new WaitingCall(call, kind, () => sender().ip);
    let quota: QuotaHeaders = {};
    const refuse = (metadata: Metadata, error: unknown): void => {
      const ending = statusOf(error, requestIdOf(text(metadata, 'x-request-id')));
      if (options.accessLog) options.log.info({ method: path, code: ending.code, ip: sender().ip }, 'request');
      call.sendStatus(ending);
    };
    const admit = async (metadata: Metadata, go: (metadata: Metadata) => void): Promise<void> => {
      try {
        quota = await limit!.admit(sender());
      } catch (error) {
        return refuse(metadata, error);
      }
      go(metadata);
    };
    return new TimedCall(call, () => messages.begin(waiting), {
      start: (next) =>
        next({
          onReceiveMetadata: (metadata, go) => {
            head = metadata;
            if (limit === undefined || unlimited.has(path)) go(metadata);
            else void admit(metadata, go);
          },
          onReceiveMessage: (message: unknown, go) => {
            messages.end(waiting);
            if (message instanceof Uint8Array) waiting.bytes += message.length;
            go(message);
          },
          onReceiveHalfClose: (go) => {
            messages.end(waiting);
            go();
          },
          onCancel: () => messages.end(waiting),
        }),
      sendMetadata: (metadata, go) => go(withQuota(metadata, quota)),
      sendStatus: (ending, go) => {
        messages.end(waiting);
        go(ending);
      },
    });
  };
}

const NOTHING = new Metadata();

function withQuota(metadata: Metadata, quota: QuotaHeaders): Metadata {
  for (const [name, value] of Object.entries(quota)) metadata.set(name.toLowerCase(), value);
  return metadata;
}

function kindOf(
  { requestStream, responseStream }: Pick<ServerMethodDefinition<unknown, unknown>, 'requestStream' | 'responseStream'>,
): CallKind {
  if (!requestStream) return 'one message';
  return responseStream ? 'conversation' : 'stream';
}

class TimedCall extends ServerInterceptingCall {
  readonly #onRead: () => void;

  constructor(call: ServerInterceptingCallInterface, onRead: () => void, responder: Responder) {
    super(call, responder);
    this.#onRead = onRead;
  }

  override startRead(): void {
    this.#onRead();
    super.startRead();
  }
}
