import { createReadStream, existsSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { createGunzip } from 'node:zlib';
import { ROOT } from './server.ts';

const MDN = join(ROOT, '..', 'shared', 'corpus', 'docs-mdn');

/** The files of the real corpus, when it lies beside the repository: 13,173 pages of MDN. */
export function realCorpus(): string[] {
  return ['mdn-en.ndjson.gz', 'mdn-en-more.ndjson.gz'].map((name) => join(MDN, name)).filter((file) => existsSync(file));
}

/** Bodies of the real corpus, one after the other. */
export async function* realBodies(): AsyncGenerator<string> {
  for (const file of realCorpus()) {
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
