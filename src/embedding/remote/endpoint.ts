/** Where a provider is reached, and what must never be shown of it. */
export interface Endpoint {
  /** The URL of a path under the base URL, without credentials. */
  readonly urlOf: (path: string) => string;
  /** What error messages may show of the base URL. */
  readonly shown: string;
  readonly authorization: string | undefined;
  readonly secrets: readonly string[];
}

/**
 * Takes a base URL apart. A user and password in it are sent as basic authentication, since `fetch`
 * refuses such URLs; a key is sent as a bearer token and wins. A query string stays with every path.
 */
export function endpoint(baseUrl: string, apiKey: string | undefined): Endpoint {
  const base = new URL(baseUrl);
  const user = decoded(base.username);
  const password = base.password === '' ? undefined : decoded(base.password);
  const rawPassword = base.password === '' ? undefined : base.password;
  const tokens = [...base.searchParams.values()].filter((value) => value.length >= 8); // shorter ones are versions and the like
  const basic = user === '' && password === undefined ? undefined : Buffer.from(`${user}:${password ?? ''}`).toString('base64');
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

/** Percent signs that mean nothing are left as they are. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
