import { useLayoutEffect, useRef } from 'preact/hooks';

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
