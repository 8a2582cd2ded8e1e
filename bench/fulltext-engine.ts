// `node bench/fulltext-engine.ts` measures the full-text engine alone, in process: indexing the MDN corpus, its size, the
// latency of queries by kind, restart; and the accumulation of 150,000 postings over a million documents.
// Run it on a machine that does nothing else.
import { type Analyzer, InvertedIndex, type Query, type ScoringAlgorithm } from '../src/search/inverted/index.ts';
import { analyzerFor } from '../src/text/languages/index.ts';
import { realBodies, seeded } from './support/corpus.ts';
import { figure, median } from './support/table.ts';

const stems = analyzerFor('en', { stemming: true, stopWords: 'none' });
const english: Analyzer = { name: 'en', term: (form) => stems.term(form) ?? form };
const BM25: ScoringAlgorithm = { kind: 'bm25' };
const WORDS = ('javascript array element event property value method browser window object function string request response ' +
  'error promise async node style color grid layout flex animation canvas').split(' ');

await measureCorpus();
measureMillion();

async function measureCorpus(): Promise<void> {
  const bodies: string[] = [];
  for await (const body of realBodies()) bodies.push(body);
  if (bodies.length === 0) return console.log('the MDN corpus is not at hand');
  const bytes = bodies.reduce((sum, body) => sum + Buffer.byteLength(body), 0);
  const rates = [0, 1, 2].map(() => (bodies.length / elapsed(() => void indexOf(bodies))) * 1000);
  const index = indexOf(bodies);
  const { bytes: parts, forms, tokens } = index.stats();
  console.log(`MDN: ${figure(bodies.length)} documents, ${figure(bytes / 1e6)} MB, ${figure(tokens)} tokens, ${figure(forms)} forms`);
  console.log(`indexing: ${figure(median(rates))} documents/s (of ${rates.map(figure).join(', ')})`);
  console.log(`size: ${percent(parts.total, bytes)} of the text, with stop words and positions; whole memory ${percent(parts.memory, bytes)}`);
  console.log(Object.entries(parts).map(([part, size]) => `  ${part} ${percent(size, bytes)}`).join('\n'));
  measureQueries(index);
  await measureRestart(index);
}

function indexOf(bodies: readonly string[]): InvertedIndex {
  const index = new InvertedIndex();
  for (const [ord, text] of bodies.entries()) index.add(ord, [{ field: 0, text }], english);
  return index;
}

/** Microseconds a query, of 500 queries of three words, the analysis of the words included. */
function measureQueries(index: InvertedIndex): void {
  const queries = Array.from({ length: 500 }, (_, i) => [0, 7, 13].map((step) => WORDS[(i * 31 + step * (1 + (i % 5))) % WORDS.length]!));
  const term = (word: string) => ({ kind: 'term' as const, forms: index.group(english, word).map((id) => ({ id })) });
  const search = (query: Query, algorithm = BM25) => index.search(query, { algorithm, limit: 10 });
  const words = (list: readonly string[]) => list.slice(0, 2).map((word, offset) => ({ forms: term(word).forms, offset }));
  const kinds: Record<string, (list: readonly string[]) => unknown> = {
    'bm25, 3 terms': (list) => search({ kind: 'or', of: list.map(term) }),
    'tfidf, 3 terms': (list) => search({ kind: 'or', of: list.map(term) }, { kind: 'tfidf' }),
    'bm25f, 3 terms': (list) => search({ kind: 'or', of: list.map(term) }, { kind: 'bm25f', weights: [1, 3, 2, 2, 1.5] }),
    'and, 3 terms': (list) => search({ kind: 'and', of: list.map(term) }),
    'phrase, 2 words': (list) => search({ kind: 'phrase', words: words(list) }),
    'proximity, 2 words': (list) => search({ kind: 'phrase', words: words(list), slop: 5 }),
    'fuzzy forms, 1 edit': (list) => index.fuzzy(list[0]!, 1, 1000),
    'fuzzy forms, 2 edits': (list) => index.fuzzy(list[0]!, 2, 1000),
    'forms of a prefix': (list) => index.prefix(list[0]!.slice(0, 3), 1000),
    'forms of a suffix': (list) => index.wildcard(`*${list[0]!.slice(3)}`, 1000),
    'forms of an infix': (list) => index.wildcard(`*${list[0]!.slice(2, 5)}*`, 1000),
  };
  for (const [kind, run] of Object.entries(kinds)) {
    const times = [0, 1, 2, 3, 4].map(() => elapsed(() => queries.forEach((list) => void run(list))) / queries.length);
    console.log(`${kind}: ${figure(median(times) * 1000)} µs`);
  }
}

async function measureRestart(index: InvertedIndex): Promise<void> {
  const parts: Uint8Array[] = [];
  const saving = performance.now();
  for await (const part of index.save(1n)) parts.push(part);
  const loading = performance.now();
  const source = async function* () {
    yield* parts;
  };
  await InvertedIndex.load(source(), [english]);
  console.log(`checkpoint: ${figure(loading - saving)} ms to write, ${figure(performance.now() - loading)} ms to load, in memory`);
}

/** A million documents, of which a tenth, a 25th and a 70th have one of three words. */
function measureMillion(): void {
  const random = seeded(1);
  const index = new InvertedIndex();
  for (let ord = 0; ord < 1_000_000; ord++) {
    const filler = Array.from({ length: 8 }, () => `w${Math.floor(20_000 ** random())}`);
    const words = Object.entries({ alpha: 0.1, beta: 0.04, gamma: 0.015 }).filter(([, share]) => random() < share).map(([word]) => word);
    index.add(ord, [{ field: 0, text: [...words, ...filler].join(' ') }]);
  }
  const query: Query = { kind: 'or', of: ['alpha', 'beta', 'gamma'].map((form) => ({ kind: 'term', forms: [{ id: index.form(form)! }] })) };
  let total = 0;
  const times = Array.from({ length: 100 }, () => elapsed(() => (total = index.search(query, { algorithm: BM25, limit: 10 }).total)));
  console.log(`bm25, 3 terms over 1,000,000 documents, ${figure(total)} matches: ${figure(median(times))} ms`);
}

function elapsed(work: () => void): number {
  const begun = performance.now();
  work();
  return performance.now() - begun;
}

function percent(part: number, whole: number): string {
  return `${((part / whole) * 100).toFixed(1)} %`;
}
