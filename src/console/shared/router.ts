import { signal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';

/** A place in the console: `#/collections/blog?q=hello`. */
interface Place {
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

let isSafe = false;

/** Store what is not saved yet, one for each editor with changes. */
const keepers = new Set<() => void>();

/** Leaves the page without the question that `useAskBeforeLeaving` asks, because what is not saved is kept first. */
export function leaveSafely(url: string): void {
  for (const keep of keepers) keep();
  isSafe = true;
  location.assign(url);
}

/**
 * Asks before the page is left, because closing the tab would lose what was typed. `keep` stores it when the page is
 * left for a while; it takes effect with the change itself, not after the browser has painted.
 */
export function useAskBeforeLeaving(isChanged: boolean, keep: () => void): void {
  const latest = useRef(keep);
  latest.current = keep;
  useLayoutEffect(() => {
    if (!isChanged) return undefined;
    const keepLatest = (): void => latest.current();
    const ask = (event: BeforeUnloadEvent): void => {
      if (!isSafe) event.preventDefault();
    };
    keepers.add(keepLatest);
    addEventListener('beforeunload', ask);
    return () => {
      keepers.delete(keepLatest);
      removeEventListener('beforeunload', ask);
    };
  }, [isChanged]);
}
