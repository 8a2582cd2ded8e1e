import { readFileSync, writeFileSync } from 'node:fs';
import type { Kind } from './job.ts';

export interface Asked {
  readonly kind: Kind;
  readonly words: readonly string[];
}

export function writeQueries(file: string, queries: readonly Asked[]): void {
  writeFileSync(file, queries.map(({ kind, words }) => `${kind}\t${words.join(' ')}\n`).join(''));
}

export function readQueries(file: string): Asked[] {
  return readFileSync(file, 'utf8').split('\n').filter((line) => line !== '').map((line) => {
    const [kind, words] = line.split('\t') as [Kind, string];
    return { kind, words: words.split(' ') };
  });
}
