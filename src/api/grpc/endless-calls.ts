import { ServerInterceptingCall, type ServerInterceptingCallInterface, type ServerInterceptor,
  status } from '@grpc/grpc-js';

/** Calls without an end of their own, by their paths. */
const ENDLESS = /\/(Watch|StreamBinlog|ServerReflectionInfo)$/;

/** The open calls that would prevent a server from stopping. */
export class EndlessCalls {
  readonly #open = new Set<ServerInterceptingCallInterface>();

  /** Tracks the endless calls of a server. */
  readonly interceptor: ServerInterceptor = (method, call) => {
    if (!ENDLESS.test(method.path)) return call as ServerInterceptingCall;
    this.#open.add(call);
    return new ServerInterceptingCall(call, {
      start: (next) =>
        next({
          onCancel: () => void this.#open.delete(call),
        }),
    });
  };

  /** Ends all of them with a status that tells the client to reconnect, to another server or later. */
  end(): void {
    for (const call of this.#open) call.sendStatus({ code: status.UNAVAILABLE, details: 'the server is stopping' });
    this.#open.clear();
  }
}
