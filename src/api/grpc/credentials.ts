import { experimental, ServerCredentials } from '@grpc/grpc-js';
import type { TlsMaterial, TlsSource } from '../../lib/tls.ts';

/** What clients need to connect: nothing, TLS, or TLS with a client certificate. */
export function serverCredentials(tls: TlsSource | undefined): ServerCredentials {
  if (tls === undefined) return ServerCredentials.createInsecure();
  const { clientCa, clientAuth = 'require' } = tls.current;
  const provider = new LiveCertificates(tls);
  // The type declares the authority first, but the library takes the server's own certificate first.
  return experimental.createCertificateProviderServerCredentials(provider, clientCa === undefined ? null : provider,
    clientCa !== undefined && clientAuth === 'require');
}

type CaListener = experimental.CaCertificateUpdateListener;
type IdentityListener = experimental.IdentityCertificateUpdateListener;

/** Passes each new certificate to the library; open connections keep theirs. */
class LiveCertificates implements experimental.CertificateProvider {
  readonly #tls: TlsSource;
  readonly #leave = new Map<CaListener | IdentityListener, () => void>();

  constructor(tls: TlsSource) {
    this.#tls = tls;
  }

  addCaCertificateListener(listener: CaListener): void {
    this.#follow(listener, ({ clientCa }) => listener(clientCa === undefined ? null : { caCertificate: clientCa }));
  }

  addIdentityCertificateListener(listener: IdentityListener): void {
    this.#follow(listener, ({ cert, key }) => listener({ certificate: cert, privateKey: key }));
  }

  removeCaCertificateListener(listener: CaListener): void {
    this.#forget(listener);
  }

  removeIdentityCertificateListener(listener: IdentityListener): void {
    this.#forget(listener);
  }

  #follow(listener: CaListener | IdentityListener, onMaterial: (material: TlsMaterial) => void): void {
    // Deferred, because the library is still registering its listener and would miss the event.
    process.nextTick(() => onMaterial(this.#tls.current));
    this.#leave.set(listener, this.#tls.onChange(onMaterial));
  }

  #forget(listener: CaListener | IdentityListener): void {
    this.#leave.get(listener)?.();
    this.#leave.delete(listener);
  }
}
