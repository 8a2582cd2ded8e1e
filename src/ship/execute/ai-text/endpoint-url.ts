/** The URL of a path under a role's base URL; a query string is kept. */
export function endpointUrl(base: string, path: string): string {
  const url = new URL(base);
  url.pathname = url.pathname.replace(/\/+$/, '') + path;
  url.hash = '';
  return url.href;
}
