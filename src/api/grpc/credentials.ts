import { ServerCredentials } from '@grpc/grpc-js';
import type { TlsMaterial } from '../../lib/tls.ts';

/** What clients must do to connect: nothing, TLS, or TLS with a certificate of their own. */
export function serverCredentials(tls: TlsMaterial | undefined): ServerCredentials {
  if (tls === undefined) return ServerCredentials.createInsecure();
  const { cert, key, clientCa, clientAuth = 'require' } = tls;
  const credentials = ServerCredentials.createSsl(clientCa ?? null, [{ private_key: key, cert_chain: cert }], clientCa !== undefined);
  if (clientCa !== undefined && clientAuth === 'request') acceptWithout(credentials);
  return credentials;
}

/**
 * The library asks for certificates only together with refusing connections that lack a good one. What a
 * client shows after `request` opens nothing, so it is not checked either.
 */
function acceptWithout(credentials: ServerCredentials): void {
  const internals = credentials as unknown as { _getConstructorOptions: () => object };
  const options = internals._getConstructorOptions();
  internals._getConstructorOptions = () => ({ ...options, rejectUnauthorized: false });
}
