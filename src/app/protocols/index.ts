import { systemTimer } from '../../lib/clock.ts';
import { readCertificates } from '../certificates.ts';
import type { Listener, ProtocolContext, ServedService } from './context.ts';
import { serveGrpc } from './grpc.ts';
import { serveHttp } from './http.ts';
import { serveHttp3 } from './http3.ts';
import { createLimits } from './limits.ts';
import { serveMcp, serveMcpStdio } from './mcp.ts';

/** The addresses of the protocols of a service. */
export interface Listeners {
  /** The address of the first of them. */
  readonly url: string;
  readonly http?: Listener;
  readonly grpc?: Listener;
  readonly mcp?: Listener;
  /** Also absent if it is switched on and cannot be served. */
  readonly http3?: Listener;
  /** Resolves when there is nothing left to serve, if that can happen: over stdio. */
  readonly ended?: Promise<void>;
  /** Loads new certificates from their files, if there are any. Never rejects. */
  reload?(): Promise<void>;
  /** Stops all of them in parallel. */
  stop(graceMs: number): Promise<void>;
}

/** Serves every protocol that is switched on; if one cannot be served, none is. */
export async function serveProtocols(given: ServedService): Promise<Listeners> {
  const { settings, service, clock, log } = given;
  if (settings.mcp.stdio) return serveMcpStdio(given);
  const tls = await readCertificates(settings, log);
  const limits = createLimits(settings, service, clock);
  const http3 = await serveHttp3({ ...given, ...limits, tls });
  const context: ProtocolContext = { ...given, ...limits, tls, alternative: http3?.alternative };
  const started = await Promise.allSettled([serveHttp(context), serveGrpc(context), serveMcp(context)]);
  const listeners = started.flatMap((result) => (result.status === 'fulfilled' && result.value ? [result.value] : []));
  const stop = async (graceMs: number): Promise<void> => {
    await Promise.all([tls?.stop(), http3?.stop(graceMs), ...listeners.map((listener) => listener.stop(graceMs))]);
  };
  const [http, grpc, mcp] = started.map((result) => (result.status === 'fulfilled' ? result.value : undefined));
  const failure = started.find((result) => result.status === 'rejected');
  if (failure !== undefined) {
    await stop(0);
    throw failure.reason;
  }
  tls?.follow(systemTimer);
  return {
    url: listeners[0]!.url,
    http,
    grpc,
    mcp,
    http3,
    reload: tls && (async () => {
      given.workers?.reload();
      await tls.reload();
    }),
    stop,
  };
}
