/** A new private key, and the request for its certificate. */
export interface SigningRequest {
  /** PKCS #8, PEM. */
  readonly key: string;
  /** PKCS #10, DER. */
  readonly csrDer: Uint8Array;
}

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;

/** Creates an ECDSA P-256 key. The name is for people: the server uses only the public key. */
export async function makeSigningRequest(name: string): Promise<SigningRequest> {
  // Loaded only here, because it is large and needed only when a ship joins or renews.
  await import('reflect-metadata');
  const { PemConverter, Pkcs10CertificateRequestGenerator } = await import('@peculiar/x509');
  const keys = await crypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']) as CryptoKeyPair;
  const request = await Pkcs10CertificateRequestGenerator.create({
    name: [{ CN: [name] }],
    keys,
    signingAlgorithm: ALGORITHM,
  });
  const key = PemConverter.encode(await crypto.subtle.exportKey('pkcs8', keys.privateKey), 'PRIVATE KEY');
  return { key: `${key}\n`, csrDer: new Uint8Array(request.rawData) };
}
