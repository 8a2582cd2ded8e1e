/** The address of a provider, and its secrets. */
export interface Endpoint {
  /** The URL of a path under the base URL, without credentials. */
  readonly urlOf: (path: string) => string;
  /** The part of the base URL that error messages may show. */
  readonly shown: string;
  readonly authorization: string | undefined;
  readonly secrets: readonly string[];
}

/**
 * Parses a base URL. A user name and password in it are sent as basic authentication, because `fetch` refuses such
 * URLs. A key is sent as a bearer token instead, if there is one. A query string is added to every path.
 */
export function endpoint(baseUrl: string, apiKey: string | undefined): Endpoint {
  const base = new URL(baseUrl);
  const user = decoded(base.username);
  const password = base.password === '' ? undefined : decoded(base.password);
  const rawPassword = base.password === '' ? undefined : base.password;
  // shorter values are versions and similar
  const tokens = [...base.searchParams.values()].filter((value) => value.length >= 8);
  const basic = user === '' && password === undefined
    ? undefined
    : Buffer.from(`${user}:${password ?? ''}`).toString('base64');
  base.username = '';
  base.password = '';
  base.hash = '';
  const root = base.pathname.replace(/\/+$/, '');
  const authorization = apiKey !== undefined ? `Bearer ${apiKey}` : basic === undefined ? undefined : `Basic ${basic}`;
  return {
    urlOf: (path) => Object.assign(new URL(base), { pathname: root + path }).href,
    shown: `${base.origin}${root}`,
    authorization,
    secrets: [apiKey, basic, password, rawPassword, ...tokens].filter((secret) => secret !== undefined),
  };
}

/** Invalid percent-encoding is left unchanged. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
