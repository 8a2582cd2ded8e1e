import type { ParsedResult, TestState } from './formats/index.ts';

/** Results that `recent` holds. */
const RECENT = 100;
/** The mean duration moves by at least one part in so many with each result. */
const WEIGHT = 20;

const LETTERS: Readonly<Record<TestState, string>> = {
  passed: 'p',
  failed: 'f',
  error: 'e',
  warning: 'f',
  skipped: 's',
};

/** What is known of a test over its runs. */
export interface Statistics {
  /** A letter for each of the last results, the newest last. */
  readonly recent: string;
  /** Milliseconds. */
  readonly meanMs: number;
}

export const NO_RESULTS: Statistics = { recent: '', meanMs: 0 };

/** The statistics with one more result. */
export function withResult({ recent, meanMs }: Statistics,
  { state, durationMs }: Pick<ParsedResult, 'state' | 'durationMs'>): Statistics
{
  const share = 1 / Math.min(ran(recent) + 1, WEIGHT);
  return {
    recent: `${recent}${LETTERS[state]}`.slice(-RECENT),
    meanMs: durationMs === null || state === 'skipped' ? meanMs : Math.round(meanMs + (durationMs - meanMs) * share),
  };
}

/** Of the recent results that ran, those that failed; 0 if none ran. */
export function failPermille(recent: string): number {
  const all = ran(recent);
  return all === 0 ? 0 : Math.round((count(recent, 'f') + count(recent, 'e')) * 1000 / all);
}

/** Of the recent results that ran, the part that passed; null if none ran. */
export function passRate(recent: string): number | null {
  const all = ran(recent);
  return all === 0 ? null : Math.round(count(recent, 'p') * 1000 / all) / 1000;
}

const ran = (recent: string): number => recent.length - count(recent, 's');
const count = (text: string, letter: string): number => text.split(letter).length - 1;

export const isFailure = (state: TestState): boolean => state === 'failed' || state === 'error';

/** The order of lists: what failed, then what nearly did. */
export function placeOf({ state, flaky, kind }: Pick<ParsedResult, 'state' | 'flaky' | 'kind'>): number {
  if (isFailure(state)) return kind === 'test' ? 0 : 1;
  if (flaky) return 2;
  return state === 'warning' ? 3 : state === 'passed' ? 4 : 5;
}
