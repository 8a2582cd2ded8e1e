import { signal } from '@preact/signals';

/** A place in the console: `#/collections/blog?q=hello`. */
export interface Place {
  readonly path: readonly string[];
  readonly query: Readonly<Record<string, string>>;
}

function parsePlace(hash: string): Place {
  const [path = '', query = ''] = hash.replace(/^#\/?/, '').split(/\?(.*)/s);
  return {
    path: path.split('/').filter((part) => part !== '').map(decoded),
    query: Object.fromEntries(new URLSearchParams(query)),
  };
}

/** The URL of a place; empty parameters are omitted. */
export function href(path: readonly string[], query: Readonly<Record<string, string | undefined>> = {}): string {
  const given = Object.entries(query).filter((entry): entry is [string, string] =>
    entry[1] !== undefined && entry[1] !== ''
  );
  const search = new URLSearchParams(given).toString();
  return `#/${path.map(encodeURIComponent).join('/')}${search === '' ? '' : `?${search}`}`;
}

export const place = signal<Place>(parsePlace(location.hash));
addEventListener('hashchange', () => {
  place.value = parsePlace(location.hash);
});

export function go(path: readonly string[], query?: Readonly<Record<string, string | undefined>>): void {
  location.hash = href(path, query);
}

/** Changes parameters of the current place without a new history entry. */
export function setQuery(change: Readonly<Record<string, string | undefined>>): void {
  const { path, query } = place.value;
  const address = href(path, { ...query, ...change });
  history.replaceState(null, '', address);
  place.value = parsePlace(address);
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
