import { flatErrors, listenOn, startHttpServer, usualLimits } from '../../api/http/index.ts';
import { type Http3Library, LIBRARY, loadLibrary, QuicListener } from '../../api/http3/index.ts';
import type { TlsSource } from '../../lib/tls.ts';
import { namingSetting } from '../foreground.ts';
import type { Listener, ProtocolContext } from './context.ts';
import { createHttpListener } from './http.ts';

/** Seconds for which clients may cache where HTTP/3 is served. */
const MAX_AGE_SECONDS = 86_400;

interface Http3Listener extends Listener {
  /** The value of `Alt-Svc` for it (RFC 7838). */
  readonly alternative: string;
}

/**
 * HTTP/3 on its own port, in extreme mode: serves the same as HTTP, in its own access mode. It never prevents the
 * start: if it cannot be served, a warning says why (decisions, section 1).
 */
export async function serveHttp3(context: ProtocolContext): Promise<Http3Listener | undefined> {
  const { settings, log } = context;
  if (!settings.extreme.enabled) return undefined;
  try {
    const { library, tls } = await requirements(context);
    return await listen(context, library, tls);
  } catch (error) {
    log.warn({ reason: (error as Error).message },
      'extreme mode: HTTP/3 is not served; group commit and delta revisions are on');
    return undefined;
  }
}

/** Throws an error that says what is missing, and how to fix it. */
async function requirements({ settings, tls }: ProtocolContext): Promise<{ library: Http3Library; tls: TlsSource }> {
  if (tls === undefined) throw new Error('it needs a certificate: set SVC_TLS_ENABLED, SVC_TLS_CERT and SVC_TLS_KEY');
  if (settings.tls.clientCa !== '' && settings.tls.clientAuth === 'require')
    throw new Error('its library cannot require certificates of clients, which SVC_TLS_CLIENT_CA asks for');
  const library = await loadLibrary();
  if (library === undefined) throw new Error(`the package ${LIBRARY} is not installed: npm install ${LIBRARY}`);
  return { library, tls };
}

async function listen(context: ProtocolContext, library: Http3Library, tls: TlsSource): Promise<Http3Listener> {
  const { settings: { http3: { addr }, limits: { bodyTimeout } }, log, clients } = context;
  const quic = new QuicListener({
    library,
    tls,
    onLost: (err) =>
      log.error({ err }, 'HTTP/3 is no longer served: its port could not be opened again with the new certificate'),
  });
  try {
    const listener = await createHttpListener(context, 'http3');
    const server = await namingSetting('SVC_HTTP3_ADDR', () =>
      startHttpServer(listener, listenOn(addr), flatErrors, {
        log,
        clients,
        limits: usualLimits(bodyTimeout),
        sockets: quic,
      }));
    const url = server.url.replace('http:', 'https:');
    return {
      url,
      alternative: `h3=":${new URL(url).port}"; ma=${MAX_AGE_SECONDS}`,
      async stop(graceMs) {
        await server.stop(graceMs);
        await quic.shut();
      },
    };
  } catch (error) {
    await quic.shut();
    throw error;
  }
}
