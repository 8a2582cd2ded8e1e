import { ServerInterceptingCall, type ServerInterceptingCallInterface, type ServerInterceptor,
  status } from '@grpc/grpc-js';

/** One ended call; `method` is the full name of a method that the server has. */
export interface GrpcExchange {
  readonly method: string;
  /** Name of the status, such as `OK`. */
  readonly code: string;
}

/**
 * Reports each call once, when its status is sent or its client has disconnected (`CANCELLED`). It must be the first
 * interceptor, so that it sees what the others send. Calls of unknown methods never reach it.
 */
export function observeCalls(observe: (exchange: GrpcExchange) => void): ServerInterceptor {
  return ({ path }, call) => {
    const method = path.slice(1);
    let isObserved = false;
    const onEnd = (code: status): void => {
      if (isObserved) return;
      isObserved = true;
      observe({ method, code: status[code] });
    };
    return new ObservedCall(call, onEnd);
  };
}

class ObservedCall extends ServerInterceptingCall {
  readonly #onEnd: (code: status) => void;

  constructor(call: ServerInterceptingCallInterface, onEnd: (code: status) => void) {
    super(call, { start: (next) => next({ onCancel: () => onEnd(status.CANCELLED) }) });
    this.#onEnd = onEnd;
  }

  override sendStatus(ending: Parameters<ServerInterceptingCall['sendStatus']>[0]): void {
    this.#onEnd(ending.code);
    super.sendStatus(ending);
  }
}
