/** A credential as it was presented, not yet checked. */
export interface Credential {
  readonly scheme: 'bearer' | 'api-key';
  readonly value: string;
  /** True for an API key if the request also sent a bearer token, which is ignored. */
  readonly overrides?: boolean;
}

/**
 * The credential of `X-API-Key` or `Authorization: Bearer`; if a request has both, the key counts (decisions, section
 * 5.1).
 */
export function presentedCredential(apiKey: unknown, authorization: unknown): Credential | undefined {
  const bearer = typeof authorization === 'string' ? /^bearer +(.+)$/i.exec(authorization)?.[1] : undefined;
  if (typeof apiKey === 'string')
    return { scheme: 'api-key', value: apiKey, ...(bearer !== undefined && { overrides: true }) };
  return bearer === undefined ? undefined : { scheme: 'bearer', value: bearer };
}
