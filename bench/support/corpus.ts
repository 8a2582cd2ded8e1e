import { createReadStream, existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { createGunzip } from 'node:zlib';
import { findCorpus } from '../../src/app/demo/corpus.ts';
import { ROOT } from './server.ts';

/** How to proceed without the public texts; follows a sentence that says which of them a part needs. */
export const CORPUS_HINT =
  'put them into a folder "corpus" of a folder beside the checkout, or name that folder "corpus" in QUIRE_CORPUS';

/**
 * A folder of the public texts, such as `docs-mdn`: in the folder that `QUIRE_CORPUS` names, or otherwise in a folder
 * `corpus` in a folder beside the checkout.
 */
export function corpusFolder(name: string): string | undefined {
  const named = process.env['QUIRE_CORPUS'];
  const parent = join(ROOT, '..');
  const candidates = named ? [named] : readdirSync(parent).sort().map((beside) => join(parent, beside, 'corpus'));
  return candidates.map((folder) => join(folder, name)).find((folder) => existsSync(folder));
}

/** The files of the real corpus, which the demo also uses: 13,173 pages of MDN, or none. */
export async function realCorpus(): Promise<readonly string[]> {
  const named = process.env['QUIRE_CORPUS'];
  const { sources } = await findCorpus(ROOT, named ? join(named, 'docs-mdn') : process.env['QUIRE_DEMO_CORPUS']);
  return sources.filter((source) => source.endsWith('.ndjson.gz'));
}

/** Bodies of the real corpus, in sequence. */
export async function* realBodies(): AsyncGenerator<string> {
  for (const file of await realCorpus()) {
    for await (const line of linesOf(file)) yield (JSON.parse(line) as { body: string }).body;
  }
}

/** The lines of a file, which may be compressed. */
export function linesOf(file: string): AsyncIterable<string> {
  const bytes = createReadStream(file);
  return createInterface({ input: file.endsWith('.gz') ? bytes.pipe(createGunzip()) : bytes, crlfDelay: Infinity });
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

/** Prose-like text of about the given number of bytes: words drawn by Zipf's law. */
export function prose(random: () => number, bytes: number): string {
  const words: string[] = [];
  for (let length = 0; length < bytes;) {
    const word = `w${Math.floor(20_000 ** random())}`;
    words.push(word);
    length += word.length + 1;
  }
  return words.join(' ');
}
