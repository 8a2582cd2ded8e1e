import { createReadStream, createWriteStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type Analyzer, type IndexOptions, InvertedIndex, type Query,
  type WeightedForm } from '../../src/search/inverted/index.ts';
import { analyzerFor } from '../../src/text/languages/index.ts';
import type { Engine } from './engine.ts';
import type { Job } from './job.ts';

const stems = analyzerFor('en', { stemming: true, stopWords: 'none' });
const english: Analyzer = { name: 'en', term: (form) => stems.term(form) ?? form };

const EXACT = { algorithm: { kind: 'bm25' }, limit: 10 } as const;
/** Without totals, if the engine supports that option; otherwise it counts anyway. */
const BEST = { ...EXACT, totals: 'none' } as const;

/** More forms than any pattern of the queries matches, and those nearest to a word, as in the service. */
const PATTERN_FORMS = 200_000;
const FUZZY_FORMS = 50;

/** Our own full-text engine in process, used like in the document service. */
export function makeQuire({ folder, stemming }: Job, options: IndexOptions = {}): Engine {
  const index = new InvertedIndex(options);
  const asked = questions(index, stemming);
  const checkpoint = join(folder, 'checkpoint');
  return {
    add: (id, text) => index.add(id, [{ field: 0, text }], stemming ? english : undefined),
    commit: () => {},
    search: asked,
    best: questions(index, stemming, (query) => index.search(query, BEST).hits.length),
    count: (word) =>
      index.search({ kind: 'term', forms: forms(index.unstemmed(word)) }, { algorithm: { kind: 'bm25' }, limit: 0 })
        .total,
    sizes: async () => {
      await pipeline(Readable.from(index.save(1n)), createWriteStream(checkpoint));
      const { total, memory } = index.stats().bytes;
      return { index: total, memory, checkpoint: (await stat(checkpoint)).size };
    },
    reopen: async (words) => {
      const begun = performance.now();
      const loaded = await InvertedIndex.load(createReadStream(checkpoint, { highWaterMark: 1024 * 1024 }), [english]);
      questions(loaded, stemming).term!(words);
      return performance.now() - begun;
    },
  };
}

/** The same without its caches between queries: each word is processed as if for the first time. */
export function makeForgetful(job: Job): Engine {
  return makeQuire(job, { cacheBytes: 0 });
}

/** `total` runs a query and returns the number of matching documents. */
function questions(index: InvertedIndex, stemming: boolean,
  total = (query: Query) => index.search(query, EXACT).total): Engine['search']
{
  const written = (word: string) => forms(index.unstemmed(word));
  const meant = stemming ? (word: string) => forms(index.group(english, word)) : written;
  const term = (found: WeightedForm[]): Query => ({ kind: 'term', forms: found });
  const any = (words: readonly string[], find = meant) =>
    total({ kind: 'or', of: words.map((word) => term(find(word))) });
  const all = (words: readonly string[]) => total({ kind: 'and', of: words.map((word) => term(meant(word))) });
  return {
    term: ([word]) => total(term(meant(word!))),
    or: any,
    and: all,
    pair: all,
    phrase: (words) => total({ kind: 'phrase', words: words.map((word, offset) => ({ forms: meant(word), offset })) }),
    prefix: ([start]) => total(term(forms(index.wildcard(`${start!}*`, PATTERN_FORMS)))),
    infix: ([part]) => total(term(forms(index.wildcard(`*${part!}*`, PATTERN_FORMS)))),
    fuzzy: ([word]) => total(term([...meant(word!), ...near(index, word!, meant(word!))])),
    heavy: any,
    heavyForms: (words) => any(words, written),
  };
}

/** Forms at edit distance one that are not in a word's group, the most frequent ones. */
function near(index: InvertedIndex, word: string, group: readonly WeightedForm[]): WeightedForm[] {
  const known = new Set(group.map(({ id }) => id));
  const found = index.fuzzy(word, 1, 5000).filter(({ id }) => !known.has(id)).map(({ id }) => ({
    id,
    documents: index.documents(id),
  }));
  return found.sort((a, b) => b.documents - a.documents).slice(0, FUZZY_FORMS).map(({ id }) => ({ id, weight: 0.8 }));
}

function forms(ids: readonly number[]): WeightedForm[] {
  return ids.map((id) => ({ id }));
}
