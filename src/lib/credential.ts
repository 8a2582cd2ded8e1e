/** A credential as it was presented, not yet checked. */
export interface Credential {
  readonly scheme: 'bearer' | 'api-key';
  readonly value: string;
  /** True for an API key beside which a bearer token was sent, too, that counts for nothing. */
  readonly overrides?: boolean;
}

/** What a request presents in `X-API-Key` or `Authorization: Bearer`; where it has both, the key counts (decisions, section 5.1). */
export function presentedCredential(apiKey: unknown, authorization: unknown): Credential | undefined {
  const bearer = typeof authorization === 'string' ? /^bearer +(.+)$/i.exec(authorization)?.[1] : undefined;
  if (typeof apiKey === 'string') return { scheme: 'api-key', value: apiKey, ...(bearer !== undefined && { overrides: true }) };
  return bearer === undefined ? undefined : { scheme: 'bearer', value: bearer };
}
