import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { OrdSet } from '../../../lib/ord-set.ts';
import { Loopback } from '../../../testkit/parts/loopback.ts';
import { defaultStopWords } from '../../../text/languages/index.ts';
import { type PlanOptions, planQuery } from '../search/query-plan.ts';
import { termAnalyzer } from './analyzers.ts';
import { PROSE_CLASSES } from './document-classes.ts';
import { answerTextPart, invertedIndexes, joinTextIndexes, textStandIn } from './inverted-text-index.ts';
import { lettersOf } from './letters.ts';
import type { Algorithm, FormsLike, IndexedDocument, ReadableText, TextHit, TextIndex, TextMatches, TextPart,
  TextQuery } from './text-index.ts';
import { toIndexed } from './to-indexed.ts';

const ORDS = 60;
/** Words with inflections, other spellings, compounds, scripts without spaces, and identifiers. */
const WORDS: Readonly<Record<string, readonly string[]>> = {
  en: ['cat', 'cats', 'running', 'runs', 'run', 'naïve', 'naive', 'house', 'houses', 'the', 'of', 'window', 'windows',
    'resize', 'resizing', 'café', 'cafe', 'wifi', 'wi-fi'],
  de: ['Haus', 'Häuser', 'Haustür', 'Tür', 'Türen', 'Fehler', 'Verbindung', 'Verbindungsfehler', 'Sprachfehler',
    'Sprache', 'blau', 'blue', 'der', 'und'],
  es: ['imagen', 'imágenes', 'imagenes', 'acción', 'acciones', 'accion', 'de', 'la'],
  ja: ['東京', '東京都', '京都', '東京都庁', 'の'],
  ko: ['데이터', '베이스', '데이터베이스', '데이터베이스를'],
};
const LANGS = Object.keys(WORDS);
const CODE = ['getElementById', 'resizeObserver', 'window', 'run', 'cat', 'run_cats', 'x'];

interface Added {
  readonly ord: number;
  readonly lang: string;
  readonly code: boolean;
  readonly title: readonly number[];
  readonly body: readonly number[];
  readonly author: readonly number[];
}

const picks = (maxLength: number) => fc.array(fc.nat(1000), { maxLength });
const added: fc.Arbitrary<Added> = fc.record({
  ord: fc.nat(ORDS - 1),
  lang: fc.constantFrom('en', 'en', 'de', 'de', 'es', 'ja', 'ko'),
  code: fc.integer({ min: 0, max: 6 }).map((n) => n === 0),
  title: picks(3),
  body: picks(14),
  author: picks(2),
});
const change = fc.oneof({ weight: 8, arbitrary: added }, {
  weight: 1,
  arbitrary: fc.record({ remove: fc.nat(ORDS - 1) }),
});

function textOf(lang: string, numbers: readonly number[]): string {
  const words = WORDS[lang]!;
  return numbers.map((n) => words[n % words.length]!).join(' ');
}

function toDocument({ ord, lang, code, title, body, author }: Added): IndexedDocument {
  const meta: Record<string, string[]> = {};
  if (title.length > 0) meta['title'] = [textOf(lang, title)];
  if (author.length > 0) meta[`author${ord % 3}`] = [textOf('en', author)];
  if (code) meta['code_language'] = ['typescript'];
  const contentMd = code
    ? body.map((n) => CODE[n % CODE.length]!).join('(); ')
    : `${textOf(lang, body.slice(0, 8))}\n\n# ${textOf(lang, title)}\n\n${textOf('en', body.slice(8))}`;
  return toIndexed({ ord, key: code ? `src/${ord}.ts` : `docs/run-${ord % 9}.md`, lang, meta, contentMd },
    termAnalyzer(lang, true));
}

const query = fc.tuple(fc.constantFrom(...LANGS, 'code'), picks(5), fc.constantFrom('', '', 'x', 's'), fc.nat(3),
  fc.constantFrom('simple', 'simple', 'simple', 'wildcard', 'phrase')).map(([lang, numbers, typo, cut, mode]) => {
    const list = lang === 'code' ? CODE : WORDS[lang]!;
    const words = (numbers.length === 0 ? [3] : numbers).map((n) => list[n % list.length]!);
    const last = words.at(-1)!;
    const text = [...words.slice(0, -1), last.slice(0, Math.max(2, last.length - cut)) + typo].join(' ');
    if (mode === 'wildcard') return { text: `${text}*`, mode: 'wildcard' as const };
    return {
      text: mode === 'phrase' ? `"${text}"` : text,
      mode: mode === 'phrase' ? 'auto' as const : 'simple' as const,
    };
  });

const options: fc.Arbitrary<Partial<PlanOptions>> = fc.record({
  fuzzy: fc.constantFrom<PlanOptions['fuzzy']>(0, 0, 1, 'auto'),
  prefix: fc.constantFrom('none' as const, 'last' as const),
  matching: fc.constantFrom('any' as const, 'all' as const),
  stemming: fc.constantFrom(true, true, false),
});
const asked: fc.Arbitrary<Omit<TextQuery, 'readings'>> = fc.record({
  algorithm: fc.constantFrom<Algorithm>('tfidf', 'tfidf', 'bm25', 'bm25f', 'pmisparse'),
  fieldWeights: fc.constant(
    new Map<number | string, number>([[0, 1], [1, 3], [6, 0.5], ['author1', 2], ['author2', 1]]),
  ),
  rerank: fc.boolean(),
  limit: fc.constantFrom(1, 10, 70),
  collect: fc.boolean(),
  look: fc.constantFrom<readonly number[] | undefined>(undefined, [1, 5, 9, 700]),
  filter: fc.constantFrom<OrdSet | undefined>(undefined, OrdSet.fromWords(new Uint32Array([0x5a5a_5a5a, 0x0ff0_ff00]))),
  factors: fc.constantFrom<Float32Array | undefined>(undefined, Float32Array.from({ length: 20 }, (_, i) => 1 + i % 3)),
}).map(({ filter, factors, look, ...rest }) => ({
  ...rest,
  ...(filter && { filter }),
  ...(factors && { factors }),
  ...(look && { look }),
}));

/** One index with all documents, and several with a part of them each. */
class Both {
  readonly one = invertedIndexes().create();
  readonly #parts: readonly TextIndex[];
  readonly many: ReadableText;
  readonly loopback = new Loopback();

  /** `elsewhere`: a bit for each part that is asked as one in another process. */
  constructor(parts: number, first: readonly (Added | { remove: number })[], elsewhere = 0) {
    this.#parts = Array.from({ length: parts }, () => invertedIndexes().create());
    for (const next of first) this.take(next);
    this.many = joinTextIndexes(this.#parts.map((part, i) => ((elsewhere >> i) & 1 ? this.#standIn(part) : part)));
  }

  #standIn(part: TextIndex): TextPart {
    return textStandIn(this.loopback.add((method, args) => answerTextPart(part, method, args)));
  }

  /** Reads the parts in a request. */
  read<T>(of: (index: ReadableText) => T): Promise<T> {
    return this.loopback.request(() => of(this.many));
  }

  take(next: Added | { remove: number }): void {
    const ord = 'remove' in next ? next.remove : next.ord;
    for (const index of [this.one, this.#parts[(ord >> 2) % this.#parts.length]!]) {
      if ('remove' in next) index.remove(ord);
      else for (const more = index.put(toDocument(next)); more?.() === true;);
    }
  }

  /** Removes what is left of deleted documents: which words there are depends on it. */
  tidy(): void {
    for (const index of [this.one, ...this.#parts]) {
      for (let ord = 100; ord < 100 + ORDS; ord++) {
        for (const more = index.put(toDocument({ ord, lang: 'en', code: false, title: [], body: [], author: [] }));
          more?.() === true;);
        index.remove(ord);
      }
      while (index.tidy());
    }
  }
}

const TOLERANCE = 2e-6;
const near = (a: number | undefined, b: number | undefined): boolean =>
  a === b || (a !== undefined && b !== undefined && Math.abs(a - b) <= TOLERANCE * Math.max(1, Math.abs(a)));

/** The same hits in the same order, except that those whose scores hardly differ may be in another one. */
function expectHits(found: readonly TextHit[], wanted: readonly TextHit[]): void {
  expect(found.map(({ score }, i) => (near(score, wanted[i]?.score) ? wanted[i]!.score : score))).toEqual(
    wanted.map(({ score }) => score),
  );
  const byOrd = new Map(wanted.map((hit) => [hit.ord, hit.score]));
  const last = wanted.at(-1)?.score ?? 0;
  for (const { ord, score } of found) expect([ord, near(byOrd.get(ord) ?? last, score)]).toEqual([ord, true]);
}

function expectMatches(found: TextMatches, wanted: TextMatches): void {
  expectHits(found.hits, wanted.hits);
  expect([found.total, found.isLowerBound]).toEqual([wanted.total, wanted.isLowerBound]);
  expect(found.matches && [...found.matches]).toEqual(wanted.matches && [...wanted.matches]);
  expect(found.looked.map((score, i) => (near(score, wanted.looked[i]) ? wanted.looked[i] : score))).toEqual(
    wanted.looked,
  );
}

function readingsOf(text: string, more: Partial<PlanOptions>, languages = ['en', 'de', 'es']) {
  const [main, ...others] = languages.map((lang, i) => ({
    lang,
    stopWords: defaultStopWords(lang),
    classes: i === 0 ? PROSE_CLASSES & ~0b10100 : lang === 'de' ? 0b100 : 0b10000,
  }));
  return planQuery(text, {
    mode: 'simple',
    distance: 2,
    fuzzy: 0,
    stemming: true,
    synonymsOf: undefined,
    languages: [main!, ...others],
    ...more,
  }).readings;
}

async function expectSameWords(both: Both, word: string): Promise<void> {
  const ords = Array.from({ length: ORDS }, (_, ord) => ord);
  const ask = async <T>(of: (index: ReadableText) => T): Promise<void> =>
    expect(await both.read(of)).toEqual(of(both.one));
  const sorted = (list: readonly string[] | undefined) => list && [...list].sort();
  await ask((index) => index.documentsWith(word));
  await ask((index) => index.spelledLike(word, 5));
  await ask((index) => index.called([word]));
  await ask((index) =>
    index.complete({ prefixes: [word.slice(0, 2)], scan: 100, limit: 20, isStopWord: () => false }).map((
      { term, documents },
    ) => [term, documents])
  );
  await ask((index) =>
    index.complete({ prefixes: [word.slice(0, 2)], field: 1, scan: 100, limit: 20, isStopWord: () => false })
  );
  for (const analyzer of ['en', 'de', 'es', 'ko'].map((lang) => termAnalyzer(lang, true))) {
    await ask((index) => index.documentsOf(word, analyzer));
    await ask((index) => index.hasCompounds(word, analyzer));
    await ask((index) => index.matchesCompounds(word, analyzer, ords));
    await ask((index) => index.matchesExactly(word, analyzer, ords));
    await ask((index) =>
      index.matchesByEdits({ kind: 'term', form: word, fuzzy: 1, keepsFirst: true, start: 0, end: 0 }, analyzer, ords)
    );
    await ask((index) =>
      index.matchesByEdits({ kind: 'term', form: word, fuzzy: 1, start: 0, end: 0 }, analyzer, ords, [1])
    );
    const likes: FormsLike[] = [{ by: 'term', form: word, analyzer }, { by: 'compounds', form: word, analyzer }, {
      by: 'pattern',
      pattern: `*${word.slice(1, 3)}*`,
    }, { by: 'edits', form: word, edits: 1, keepsFirst: true, begins: true, analyzer },
      ...lettersOf(word, analyzer).map((letters) => ({ by: 'letters' as const, letters }))];
    for (const like of likes) await ask((index) => sorted(index.formsLike(like, 100)));
  }
}

function allWords(index: ReadableText): string[] {
  return index.words(0, 1_000_000).words.map(({ word, documents }) => `${word} ${documents}`).sort();
}

const documents = fc.array(change, { minLength: 5, maxLength: 60, size: 'max' });
const searches = fc.array(fc.tuple(query, options, asked), { minLength: 4, maxLength: 4 });

async function expectSameSearch(both: Both,
  [{ text, mode }, more, ask]: [{ text: string; mode: PlanOptions['mode'] }, Partial<PlanOptions>,
    Omit<TextQuery, 'readings'>]): Promise<void>
{
  const { one } = both;
  const readings = readingsOf(text, { ...more, mode });
  const wanted = one.search({ ...ask, readings });
  const found = await both.read((many) => many.search({ ...ask, readings }));
  expectMatches(found, wanted);
  if (found.matches !== undefined) both.many.reuse(found.matches);
  const ords = wanted.hits.map(({ ord }) => ord);
  expect(await both.read((many) => many.classesOf(ords))).toEqual(one.classesOf(ords));
  const scores = await both.read((many) => many.scoresOf({ ...ask, readings }, Uint32Array.from(ords)));
  const wantedScores = one.scoresOf({ ...ask, readings }, Uint32Array.from(ords));
  expect([...scores].map((score, i) => near(score, wantedScores[i]))).toEqual(ords.map(() => true));
  const feedback = (index: ReadableText) =>
    readings.slice(0, 1).map(({ classes, analyzer, isStopWord }) => ({
      classes,
      analyzer,
      terms: index.relevantTerms({ analyzer, isStopWord }, [{ text: `cats running windows ${text}`, score: 2 }]),
    }));
  expect(await both.read(feedback)).toEqual(feedback(one));
  expectHits(await both.read((many) => many.rescore(wanted.hits, feedback(many), ask)),
    one.rescore(wanted.hits, feedback(one), ask));
  await expectSameWords(both, text.toLowerCase().split(' ').at(-1)!.replaceAll(/["*]/g, ''));
}

describe.each([['in this process', fc.constant(0)], ['of which some are in other processes',
  fc.integer({ min: 1, max: 255 })]])('several indexes %s', (_, elsewhere) => {
    it('answer as one index with all documents does', () =>
      fc.assert(
        fc.asyncProperty(fc.integer({ min: 2, max: 8 }), elsewhere, documents,
          fc.array(change, { maxLength: 20, size: 'max' }), fc.boolean(), searches,
          async (parts, away, first, then, isTidied, queries) => {
            const both = new Both(parts, first, away);
            // What changes before the words are read, and what does afterwards.
            for (const next of then.slice(0, then.length >> 1)) both.take(next);
            await both.read((many) => many.documentsWith('cat'));
            for (const next of then.slice(then.length >> 1)) both.take(next);
            if (isTidied) both.tidy();
            const all = (index: ReadableText) => [index.documents, index.documentsByClass(), allWords(index)];
            expect(await both.read(all)).toEqual(all(both.one));
            for (const each of queries) await expectSameSearch(both, each);
          }),
        { numRuns: 10, endOnFailure: true },
      ));
  });
