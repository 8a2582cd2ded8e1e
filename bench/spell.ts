// Corrections of misspelled words, in process: the words of the pages of MDN, each with one random edit. A misspelling
// that is itself a word is skipped. `by use` draws words by their frequency in pages, `by word` draws each word with
// equal probability.
import { SpellingIndex } from '../src/search/spelling/spelling-index.ts';
import { CORPUS_HINT, realBodies, realCorpus, seeded } from './support/corpus.ts';
import { progress } from './support/progress.ts';
import { scaled } from './support/scale.ts';
import { figure, missing, type Section } from './support/table.ts';

const TITLE = 'Spelling';
const DRAWN = Math.round(scaled(20_000, 500));
const ROUNDS = 5;
const LETTERS = 'abcdefghijklmnopqrstuvwxyz';
const LEAST_LETTERS = 4;

interface Misspelled {
  readonly meant: string;
  readonly written: string;
}

export async function benchSpell(): Promise<Section[]> {
  if ((await realCorpus()).length === 0)
    return [missing(TITLE, `it needs the pages of MDN (docs-mdn): ${CORPUS_HINT}`)];
  const pages = await countPages();
  const index = new SpellingIndex();
  const started = performance.now();
  for (const [word, count] of pages) index.put(word, count);
  const buildMs = performance.now() - started;
  const words = [...pages].filter(([word]) => word.length >= LEAST_LETTERS && /^[a-z]+$/.test(word));
  const random = seeded(7);
  const samples = {
    'by word': () => words[Math.floor(random() * words.length)]![0],
    'by use': drawByUse(words, random),
  };
  const rows: string[][] = [];
  for (const [sample, draw] of Object.entries(samples)) {
    const misspelled = Array.from({ length: DRAWN }, () => misspell(draw, pages, random));
    for (const limit of [1, 5]) {
      progress(`spell: ${sample}, best ${limit}`);
      const rounds = Array.from({ length: ROUNDS }, () => measure(index, misspelled, limit));
      const [{ right }] = rounds as [(typeof rounds)[number]];
      rows.push([`${sample}, best ${limit}`, figure(Math.max(...rounds.map(({ perSecond }) => perSecond))),
        figure(Math.max(...rounds.map(({ perCpuSecond }) => perCpuSecond))), (right / DRAWN).toFixed(3)]);
    }
  }
  return [{
    title: `${TITLE}, in process: ${
      pages.size.toLocaleString('en-US')
    } words of MDN, one edit at random in words of ${LEAST_LETTERS} letters and more`,
    header: ['misspellings', 'suggestions/s', 'by processor time', 'the first is right'],
    rows,
    notes: [
      `The index was made in ${figure(buildMs)} ms and takes ${
        figure(index.bytes / pages.size)
      } bytes for a word. The best of ${ROUNDS} rounds counts.`,
    ],
  }];
}

/** Number of pages that contain each word. */
async function countPages(): Promise<Map<string, number>> {
  const pages = new Map<string, number>();
  for await (const body of realBodies()) {
    for (const word of new Set(body.toLowerCase().match(/\p{L}[\p{L}\p{M}]+/gu) ?? []))
      pages.set(word, (pages.get(word) ?? 0) + 1);
  }
  return pages;
}

function drawByUse(words: readonly (readonly [string, number])[], random: () => number): () => string {
  const ends: number[] = [];
  for (const [, count] of words) ends.push((ends.at(-1) ?? 0) + count);
  return () => {
    const at = random() * ends.at(-1)!;
    let [low, high] = [0, ends.length - 1];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (ends[middle]! <= at) low = middle + 1;
      else high = middle;
    }
    return words[low]![0];
  };
}

function misspell(draw: () => string, words: ReadonlyMap<string, number>, random: () => number): Misspelled {
  for (;;) {
    const meant = draw();
    const at = Math.floor(random() * meant.length);
    const letter = LETTERS[Math.floor(random() * LETTERS.length)]!;
    const [before, after] = [meant.slice(0, at), meant.slice(at + 1)];
    const edits = [before + after, before + letter + meant.slice(at), before + letter + after,
      before + after.slice(0, 1) + meant[at]! + after.slice(1)];
    const written = edits[Math.floor(random() * edits.length)]!;
    if (written !== meant && !words.has(written)) return { meant, written };
  }
}

function measure(index: SpellingIndex, misspelled: readonly Misspelled[],
  limit: number): { perSecond: number; perCpuSecond: number; right: number }
{
  const [started, cpu] = [performance.now(), process.cpuUsage()];
  let right = 0;
  for (const { meant, written } of misspelled) if (index.near(written, { limit })[0]?.word === meant) right += 1;
  const used = process.cpuUsage(cpu);
  return {
    perSecond: (misspelled.length * 1000) / (performance.now() - started),
    perCpuSecond: (misspelled.length * 1e6) / (used.user + used.system),
    right,
  };
}
