import {
  ServerInterceptingCall, status,
  type Metadata, type Responder, type ServerInterceptingCallInterface, type ServerInterceptor,
} from '@grpc/grpc-js';
import { ServiceError } from '../../errors/index.ts';
import type { Log } from '../../lib/log.ts';
import { requestIdOf } from '../../lib/request-id.ts';
import type { ReadAddress } from '../../lib/trusted-proxies.ts';
import type { QuotaHeaders, RateLimit } from '../../operations/index.ts';
import { senderOf, text } from './request.ts';
import { statusOf } from './status.ts';

/** How long the server waits for a client's message, in milliseconds. */
export interface Waits {
  /** For the single message of a call. */
  readonly messageMs: number;
  /** For the next message of a stream, which may be infrequent. */
  readonly streamMs: number;
}

export const USUAL_WAITS: Waits = { messageMs: 120_000, streamMs: 10 * 60_000 };

export interface GateOptions {
  readonly log: Log;
  readonly accessLog: boolean;
  readonly readAddress: ReadAddress;
  /** Counts every call except those of `unlimited`; without it there is no rate limit. */
  readonly limit?: RateLimit | undefined;
  /** Paths of calls that are exempt from the rate limit. */
  readonly unlimited: ReadonlySet<string>;
  readonly waits: Waits;
}

/**
 * Runs before every call: counts it before its messages are read, sends the client its quota in the initial metadata,
 * and ends calls whose messages do not arrive.
 */
export function createGate(options: GateOptions): ServerInterceptor {
  const { limit, unlimited, waits } = options;
  return ({ path, requestStream }, call) => {
    const timeout = new MessageTimeout(call, requestStream ? waits.streamMs : waits.messageMs);
    let quota: QuotaHeaders = {};
    const refuse = (metadata: Metadata, error: unknown): void => {
      const ending = statusOf(error, requestIdOf(text(metadata, 'x-request-id')));
      if (options.accessLog) options.log.info({ method: path, code: ending.code, ip: senderOf({ metadata, getPeer: () => call.getPeer() }, options.readAddress).ip }, 'request');
      call.sendStatus(ending);
    };
    const admit = async (metadata: Metadata, go: (metadata: Metadata) => void): Promise<void> => {
      try {
        quota = await limit!.admit(senderOf({ metadata, getPeer: () => call.getPeer() }, options.readAddress));
      } catch (error) {
        return refuse(metadata, error);
      }
      go(metadata);
    };
    return new TimedCall(call, timeout, {
      start: (next) => next({
        onReceiveMetadata: (metadata, go) => {
          if (limit === undefined || unlimited.has(path)) go(metadata);
          else void admit(metadata, go);
        },
        onReceiveMessage: (message, go) => {
          timeout.end();
          go(message);
        },
        onReceiveHalfClose: (go) => {
          timeout.end();
          go();
        },
        onCancel: () => timeout.end(),
      }),
      sendMetadata: (metadata, go) => go(withQuota(metadata, quota)),
      sendStatus: (ending, go) => {
        timeout.end();
        go(ending);
      },
    });
  };
}

function withQuota(metadata: Metadata, quota: QuotaHeaders): Metadata {
  for (const [name, value] of Object.entries(quota)) metadata.set(name.toLowerCase(), value);
  return metadata;
}

/** Ends a call when what the server waits for does not come in time. */
class MessageTimeout {
  readonly #call: ServerInterceptingCallInterface;
  readonly #milliseconds: number;
  #timer: NodeJS.Timeout | undefined;

  constructor(call: ServerInterceptingCallInterface, milliseconds: number) {
    this.#call = call;
    this.#milliseconds = milliseconds;
  }

  begin(): void {
    this.end();
    this.#timer = setTimeout(() => {
      const error = new ServiceError('request_timeout', `nothing came for ${this.#milliseconds / 1000} s`);
      this.#call.sendStatus({ ...statusOf(error, requestIdOf(undefined)), code: status.DEADLINE_EXCEEDED });
    }, this.#milliseconds).unref();
  }

  end(): void {
    clearTimeout(this.#timer);
  }
}

/** A server that asks for a message waits for the client; one that does not is busy itself. */
class TimedCall extends ServerInterceptingCall {
  readonly #timeout: MessageTimeout;

  constructor(call: ServerInterceptingCallInterface, timeout: MessageTimeout, responder: Responder) {
    super(call, responder);
    this.#timeout = timeout;
  }

  override startRead(): void {
    this.#timeout.begin();
    super.startRead();
  }
}
