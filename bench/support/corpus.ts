import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { createGunzip } from 'node:zlib';
import { findCorpus } from '../../src/app/demo/corpus.ts';
import { ROOT } from './server.ts';

/** The files of the real corpus that the demo finds, too: 13,173 pages of MDN, or none. */
export async function realCorpus(): Promise<readonly string[]> {
  const { sources } = await findCorpus(ROOT, process.env['QUIRE_DEMO_CORPUS']);
  return sources.filter((source) => source.endsWith('.ndjson.gz'));
}

/** Bodies of the real corpus, one after the other. */
export async function* realBodies(): AsyncGenerator<string> {
  for (const file of await realCorpus()) {
    const lines = createInterface({ input: createReadStream(file).pipe(createGunzip()), crlfDelay: Infinity });
    for await (const line of lines) yield (JSON.parse(line) as { body: string }).body;
  }
}

/** A seeded generator (mulberry32), so that every run writes the same bytes. */
export function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Prose-like text of about so many bytes: words drawn by Zipf's law. */
export function prose(random: () => number, bytes: number): string {
  const words: string[] = [];
  for (let length = 0; length < bytes;) {
    const word = `w${Math.floor(20_000 ** random())}`;
    words.push(word);
    length += word.length + 1;
  }
  return words.join(' ');
}
