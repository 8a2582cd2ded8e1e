import { useEffect, useRef, useState } from 'preact/hooks';
import { messageOf } from './ask.ts';
import { signIns } from './session.ts';

export interface Loaded<T> {
  /** What was loaded last; it is kept while the next load is in progress. */
  readonly data: T | undefined;
  readonly error: string | undefined;
  readonly loading: boolean;
  readonly reload: () => void;
}

/**
 * Loads when a view is shown, whenever one of `inputs` changes, and when a user has signed in. The result of a load is
 * dropped if another load began after it.
 */
export function useLoad<T>(load: (signal: AbortSignal) => Promise<T>, inputs: readonly unknown[]): Loaded<T> {
  const [state, setState] = useState<{ data?: T; error?: string; loading: boolean }>({ loading: true });
  const [round, setRound] = useState(0);
  useEffect(() => {
    const stop = new AbortController();
    setState((before) => ({ ...before, loading: true }));
    load(stop.signal).then((data) => !stop.signal.aborted && setState({ data, loading: false }),
      (error: unknown) =>
        !stop.signal.aborted && setState((before) => ({ ...before, error: messageOf(error), loading: false })));
    return () => stop.abort();
  }, [...inputs, signIns.value, round]);
  return {
    data: state.data,
    error: state.error,
    loading: state.loading,
    reload: () => setRound((before) => before + 1),
  };
}

/**
 * Loads periodically while a view is shown, the page is visible and `isWanted`. A load that takes longer than the pause
 * is not interrupted.
 */
export function useRefresh({ loading, reload }: Loaded<unknown>, milliseconds: number, isWanted = true): void {
  useEvery(milliseconds, () => isWanted && !loading && reload());
}

function useEvery(milliseconds: number, call: () => void): void {
  const latest = useRef(call);
  latest.current = call;
  useEffect(() => {
    const timer = setInterval(() => document.visibilityState === 'visible' && latest.current(), milliseconds);
    return () => clearInterval(timer);
  }, [milliseconds]);
}

/** A value that is updated from another one after a pause in its changes. */
export function useSettled<T>(value: T, milliseconds: number): T {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), milliseconds);
    return () => clearTimeout(timer);
  }, [value, milliseconds]);
  return settled;
}
