import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { ConfigError } from '../../lib/setting-values.ts';
import { formsOf } from '../../text/tokenize.ts';

/** Maximum number of words that count (decisions, section 2.3). */
const MAX_WORDS = 10_000;
/** Maximum number of characters that are read: if words are very long, fewer count. */
const MAX_CHARACTERS = 120_000;
/** Number of words after a negation whose sign it inverts. */
const REACH = 3;
const NEGATIONS: ReadonlySet<string> = new Set(['no', 'not', 'never', 'none', 'nobody', 'nothing', 'neither', 'nor',
  'cannot', 'without', 'dont', 'doesnt', 'didnt', 'isnt', 'arent', 'wasnt', 'werent', 'wont', 'wouldnt', 'shouldnt',
  'couldnt', 'cant', 'hasnt', 'havent', 'hadnt', 'aint']);

/** Weights of words: positive, negative or 0. */
export type Lexicon = ReadonlyMap<string, number>;

/**
 * The English list (AFINN-165) with the words of a file of `word<TAB>weight` lines, which override it. Rejects with a
 * `ConfigError` for a file that cannot be read, and for a line without a weight, naming the line. Empty lines are
 * skipped, and lines that begin with `#` are comments.
 */
export async function readLexicon(file = ''): Promise<Lexicon> {
  const words = createRequire(import.meta.url)('sentiment/languages/en/labels.json') as Readonly<
    Record<string, number>
  >;
  const lexicon = new Map(Object.entries(words));
  if (file === '') return lexicon;
  for (const [i, line] of (await contentOf(file)).split(/\r?\n/).entries()) {
    if (line.trim() === '' || line.startsWith('#')) continue;
    const [word = '', weight = ''] = line.split('\t');
    const [form, ...more] = formsOf(word);
    if (form === undefined || more.length > 0 || weight.trim() === '' || !Number.isFinite(Number(weight))) {
      throw new ConfigError([
        `SVC_SENTIMENT_LEXICON: line ${i + 1} of ${file} must be one word, a tab and a number, got ${
          JSON.stringify(line.slice(0, 80))
        }`,
      ]);
    }
    lexicon.set(form, Number(weight));
  }
  return lexicon;
}

async function contentOf(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    throw new ConfigError([
      `SVC_SENTIMENT_LEXICON: ${file} cannot be read (${(error as NodeJS.ErrnoException).code ?? String(error)})`,
    ]);
  }
}

/**
 * From -1 (negative) to 1 (positive): the difference of the positive and the negative weights, divided by their sum; 0
 * without any.
 */
export function sentimentOf(text: string, lexicon: Lexicon): number {
  const words = formsOf(text.slice(0, MAX_CHARACTERS)).slice(0, MAX_WORDS);
  let [positive, negative, negated] = [0, 0, -1 - REACH];
  for (const [i, word] of words.entries()) {
    const weight = (lexicon.get(word) ?? 0) * (i - negated <= REACH ? -1 : 1);
    if (weight > 0) positive += weight;
    else negative -= weight;
    if (isNegation(word)) negated = i;
  }
  return positive + negative === 0 ? 0 : (positive - negative) / (positive + negative);
}

/** Contractions count with and without their apostrophe. */
function isNegation(word: string): boolean {
  return NEGATIONS.has(word.replace(/['’ʼ＇]/, ''));
}
