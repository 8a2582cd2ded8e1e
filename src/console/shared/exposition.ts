import { useRef } from 'preact/hooks';
import { type Loaded, useLoad, useRefresh } from './use-load.ts';

/** One sample of the Prometheus text format. */
export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** Parses the Prometheus text format; lines that it does not recognise are ignored. */
export function readExposition(text: string): Sample[] {
  return text.split('\n').flatMap((line) => {
    const match = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)/.exec(line);
    return match === null ? [] : [{ name: match[1]!, labels: labelsOf(match[2] ?? ''), value: Number(match[3]) }];
  });
}

/** The sum of all samples of a name. */
export function sumOf(samples: readonly Sample[], name: string): number {
  return samples.reduce((sum, sample) => (sample.name === name ? sum + sample.value : sum), 0);
}

function labelsOf(text: string): Record<string, string> {
  return Object.fromEntries(
    [...text.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, name, value]) => [name!, value!.replace(/\\(.)/g, '$1')]),
  );
}

/** The metrics at one time. */
export interface Reading {
  /** Milliseconds. */
  readonly at: number;
  readonly samples: readonly Sample[];
}

const EVERY_MS = 2000;
const KEPT = 90;

/** Reads the metrics periodically while a page is shown, and keeps the readings of the last three minutes. */
export function useHistory(read: (signal: AbortSignal) => Promise<string>): Loaded<readonly Reading[]> {
  const kept = useRef<readonly Reading[]>([]);
  const loaded = useLoad(async (signal) => {
    const samples = readExposition(await read(signal));
    kept.current = [...kept.current, { at: Date.now(), samples }].slice(-KEPT);
    return kept.current;
  }, []);
  useRefresh(loaded, EVERY_MS);
  return loaded;
}

/** The increase of a counter per second, from one reading to the next. */
export function ratesOf(history: readonly Reading[], valueOf: (samples: readonly Sample[]) => number): number[] {
  return history.slice(1).map(({ at, samples }, index) => {
    const before = history[index]!;
    return Math.max(0, valueOf(samples) - valueOf(before.samples)) / Math.max(0.001, (at - before.at) / 1000);
  });
}
