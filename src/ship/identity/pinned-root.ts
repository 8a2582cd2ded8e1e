import { createHash, timingSafeEqual, X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { isIP } from 'node:net';
import { connect, type DetailedPeerCertificate, type TLSSocket } from 'node:tls';
import { ShipFailure } from './failure.ts';

const CONNECT_MS = 15_000;
/** A chain has two or three certificates; a malicious server must not keep the ship busy with more. */
const MAX_CHAIN = 10;

/**
 * The certificate of the server's authority as PEM, recognised by its SHA-256: a server with another one is not the
 * server of the token. Only the TLS handshake is sent.
 */
export async function fetchPinnedRoot(host: string, port: number, fingerprint: Buffer): Promise<string> {
  const chain = await fetchChain(host, port);
  const root = chain.find((der) => timingSafeEqual(createHash('sha256').update(der).digest(), fingerprint));
  if (root !== undefined) return new X509Certificate(root).toString();
  throw new ShipFailure(
    `the server at ${host}:${port} is not the one that the token is for: its certificate authority is another. The ` +
      'token was not sent. Check --server; if it is right, somebody may be in between',
  );
}

async function fetchChain(host: string, port: number): Promise<Buffer[]> {
  const socket = connect({
    host,
    port,
    rejectUnauthorized: false,
    minVersion: 'TLSv1.2',
    ALPNProtocols: ['h2'],
    ...(isIP(host) === 0 && { servername: host }),
  });
  try {
    await once(socket, 'secureConnect', { signal: AbortSignal.timeout(CONNECT_MS) });
    return readChain(socket);
  } catch (error) {
    const { name, message } = error as Error;
    throw new ShipFailure(
      `cannot reach ${host}:${port}: ${
        name === 'AbortError' ? 'no answer' : message
      }. Check --server, which is the address for joining (fleet.enrol_listen of the server)`,
      { cause: error },
    );
  } finally {
    socket.on('error', () => undefined);
    socket.destroy();
  }
}

function readChain(socket: TLSSocket): Buffer[] {
  const chain: Buffer[] = [];
  let certificate: DetailedPeerCertificate | undefined = socket.getPeerCertificate(true);
  while (certificate?.raw !== undefined && chain.length < MAX_CHAIN) {
    chain.push(certificate.raw);
    // A root is its own issuer.
    certificate = certificate.issuerCertificate === certificate ? undefined : certificate.issuerCertificate;
  }
  return chain;
}
