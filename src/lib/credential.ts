/** A credential as it was presented, not yet checked. */
export interface Credential {
  readonly scheme: 'bearer' | 'api-key';
  readonly value: string;
}

/** What a request presents in `X-API-Key` or `Authorization: Bearer`; where it has both, the key counts (decisions, section 5.1). */
export function presentedCredential(apiKey: unknown, authorization: unknown): Credential | undefined {
  if (typeof apiKey === 'string') return { scheme: 'api-key', value: apiKey };
  const bearer = typeof authorization === 'string' ? /^bearer +(.+)$/i.exec(authorization)?.[1] : undefined;
  return bearer === undefined ? undefined : { scheme: 'bearer', value: bearer };
}
