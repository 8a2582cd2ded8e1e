import { ServerInterceptingCall, status, type ServerInterceptor, type ServerInterceptingCallInterface } from '@grpc/grpc-js';

/** Calls that go on for as long as the client likes, by their paths. */
const ENDLESS = /\/(Watch|StreamBinlog|ServerReflectionInfo)$/;

/** The open calls that would keep a server from ever stopping. */
export class EndlessCalls {
  readonly #open = new Set<ServerInterceptingCallInterface>();

  /** Keeps watch over the calls of a server. */
  readonly interceptor: ServerInterceptor = (method, call) => {
    if (!ENDLESS.test(method.path)) return call as ServerInterceptingCall;
    this.#open.add(call);
    return new ServerInterceptingCall(call, {
      start: (next) => next({
        onCancel: () => void this.#open.delete(call),
      }),
    });
  };

  /** Ends them all: the client is to come again, to another server or later. */
  end(): void {
    for (const call of this.#open) call.sendStatus({ code: status.UNAVAILABLE, details: 'the server is stopping' });
    this.#open.clear();
  }
}
