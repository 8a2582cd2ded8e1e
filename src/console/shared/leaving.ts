import { useEffect } from 'preact/hooks';

let isSafe = false;

/** Leaves the page without the question that `useAskBeforeLeaving` asks, because what is not saved is kept. */
export function leaveSafely(url: string): void {
  isSafe = true;
  location.assign(url);
}

/** Asks before the page is left, because closing the tab would lose what was typed. */
export function useAskBeforeLeaving(isChanged: boolean): void {
  useEffect(() => {
    if (!isChanged) return undefined;
    const ask = (event: BeforeUnloadEvent): void => {
      if (!isSafe) event.preventDefault();
    };
    addEventListener('beforeunload', ask);
    return () => removeEventListener('beforeunload', ask);
  }, [isChanged]);
}
