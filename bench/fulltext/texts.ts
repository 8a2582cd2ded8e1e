import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { realBodies, seeded } from '../support/corpus.ts';

/** A file with one document per line, from which every peer reads its texts. */
export interface Texts {
  readonly file: string;
  readonly documents: number;
  readonly bytes: number;
}

/** Number of documents that are written together. */
const BATCH = 500;

/** The first pages of MDN, one per line. */
export async function writePages(file: string, count: number): Promise<Texts> {
  return write(file, async function*() {
    let written = 0;
    for await (const body of realBodies()) {
      if (written++ >= count) return;
      yield inOneLine(body);
    }
  }());
}

/**
 * The requested number of documents with about the requested number of words, made of the sentences of pages; always
 * the same ones.
 */
export async function writeSynthetic(file: string, count: number, words: number): Promise<Texts> {
  const sentences = await sentencesOfPages();
  return write(file, synthetic(sentences, count, words));
}

async function* synthetic(sentences: readonly string[], count: number, words: number): AsyncGenerator<string> {
  const random = seeded(20_240_601);
  const sentence = () => sentences[Math.floor(random() * sentences.length)]!.split(' ');
  for (let document = 0; document < count; document++) {
    const wanted = words * (0.5 + random());
    const text: string[] = [];
    while (text.length < wanted) text.push(...varied(sentence(), sentence, document, random));
    yield text.join(' ');
  }
}

/**
 * A sentence with about a sixteenth of its words replaced by words of other sentences, and one in 200 by an invented
 * word. The further on, the more invented words there are, so that the vocabulary grows with the collection as in
 * reality.
 */
function varied(words: string[], other: () => string[], document: number, random: () => number): string[] {
  for (let i = Math.floor(random() * 16); i < words.length; i += 1 + Math.floor(random() * 31)) {
    const source = other();
    words[i] = random() < 0.08
      ? madeUp(Math.floor(random() * (document + 1000)))
      : source[Math.floor(random() * source.length)]!;
  }
  return words;
}

const SYLLABLES = 'ba ce di fo gu ha ki lo mu na pe ri so tu va wi xe yo za qua'.split(' ');

function madeUp(number: number): string {
  let word = '';
  for (let rest = number + SYLLABLES.length ** 2; rest > 0; rest = Math.floor(rest / SYLLABLES.length))
    word += SYLLABLES[rest % SYLLABLES.length]!;
  return word;
}

/** Prose of the pages: pieces of at least five words, between the ends of sentences and lines. */
async function sentencesOfPages(): Promise<string[]> {
  const sentences: string[] = [];
  for await (const body of realBodies()) {
    for (const piece of body.split(/\n|(?<=[.!?]) /)) {
      const sentence = piece.replace(/\s+/g, ' ').trim();
      if (/^\W*\w+(?: \S*[A-Za-z]\S*){4,}/.test(sentence)) sentences.push(sentence);
    }
  }
  return sentences;
}

/** With the original length, so that sizes are those of the pages. */
function inOneLine(text: string): string {
  return text.replace(/[\n\r\u2028\u2029]/g, ' ');
}

async function write(file: string, lines: AsyncGenerator<string>): Promise<Texts> {
  const stream = createWriteStream(file);
  let documents = 0;
  let bytes = 0;
  let batch: string[] = [];
  const flush = async () => {
    const chunk = Buffer.from(batch.map((line) => `${line}\n`).join(''));
    documents += batch.length;
    bytes += chunk.length - batch.length;
    batch = [];
    if (!stream.write(chunk)) await once(stream, 'drain');
  };
  for await (const line of lines) if (batch.push(line) === BATCH) await flush();
  await flush();
  stream.end();
  await once(stream, 'finish');
  return { file, documents, bytes };
}
