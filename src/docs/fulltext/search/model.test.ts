import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { QueryNode } from '../../../text/query/index.ts';
import { tokenize } from '../../../text/tokenize.ts';
import { DRIVERS } from '../../documents/test-fixture.ts';
import { PROSE_CLASSES } from '../view/document-classes.ts';
import { planQuery, type Reading } from './query-plan.ts';
import { SearchFixture } from './test-fixture.ts';

/** A document as a scan sees it: the forms of each of its texts. */
interface Scanned {
  readonly content: readonly string[];
  readonly title: readonly string[];
  readonly tags: readonly string[];
}

/** The fields of the documents here, whose forms `Scan` counts, and their weights (decision D-81). */
const FIELDS = [{ weight: 1, of: ({ content }: Scanned) => content }, { weight: 3, of: ({ title }: Scanned) => title },
  { weight: 2, of: ({ tags: values }: Scanned) => values }] as const;
const SLOPE = 0.25;
const SATURATION = 4;

const WORDS = ['fox', 'foxes', 'cat', 'cats', 'dog', 'quick', 'running', 'runs', 'the', 'café', 'cafe', "dog's",
  '3.14'];
const word = fc.constantFrom(...WORDS);
const text = fc.array(word, { maxLength: 12 }).map((words) => words.join(' '));
const key = fc.constantFrom('a', 'b', 'd', 'e', 'f', 'g');
const tags = fc.subarray(['x', 'y', 'z']);
const atom = fc.oneof({ weight: 4, arbitrary: word },
  fc.array(word, { minLength: 1, maxLength: 3 }).map((words) => `"${words.join(' ')}"`),
  fc.constantFrom('f*', 'c?t', '*s', 'ca*e', 'c?t?', 'ca*s?', '*og??'));
const query = fc.letrec<{ query: string }>((tie) => ({
  query: fc.oneof({ depthSize: 'small' }, atom,
    fc.tuple(tie('query'), fc.constantFrom(' ', ' AND ', ' OR ', ' -', ' +', ' AND NOT '), tie('query')).map((
      [a, operator, b],
    ) => `(${a})${operator}(${b})`)),
})).query;

const command = fc.oneof({
  weight: 5,
  arbitrary: fc.record({ kind: fc.constant('put' as const), key, text, title: text, tags }),
}, { weight: 2, arbitrary: fc.record({ kind: fc.constant('delete' as const), key }) }, {
  weight: 1,
  arbitrary: fc.constant({ kind: 'clear' as const }),
}, { weight: 1, arbitrary: fc.constant({ kind: 'reindex' as const }) }, {
  weight: 1,
  arbitrary: fc.constant({ kind: 'restart' as const }),
}, {
  weight: 6,
  arbitrary: fc.record({
    kind: fc.constant('search' as const),
    query,
    mode: fc.constantFrom('simple' as const, 'boolean' as const, 'expression' as const),
    tags: fc.option(tags),
  }),
});

describe.each(DRIVERS)('full-text search over %s', (driver) => {
  it('agrees with a scan of all documents, whatever was written before', async () => {
    await fc.assert(fc.asyncProperty(fc.array(command, { minLength: 5, maxLength: 40 }), async (commands) => {
      const fixture = await SearchFixture.open(driver);
      try {
        await compare(fixture, commands);
      } finally {
        await fixture.close();
      }
    }), { numRuns: 40 });
  }, 60_000);
});

type Command = typeof command extends fc.Arbitrary<infer T> ? T : never;

async function compare(fixture: SearchFixture, commands: readonly Command[]): Promise<void> {
  const documents = new Map<string, Scanned>();
  for (const step of commands) {
    if (step.kind === 'put') {
      const { key: name, text: contentMd, title, tags: values } = step;
      await fixture.add(name, contentMd, { title: [title], tags: values });
      documents.set(name, { content: formsOf(contentMd), title: formsOf(title), tags: values });
    } else if (step.kind === 'delete') {
      await fixture.call('deleteDocuments', { collection: 'c', documents: [{ key: step.key, lang: 'en' }] });
      documents.delete(step.key);
    } else if (step.kind === 'clear') {
      await fixture.call('deleteCollection', { collection: 'c' });
      documents.clear();
    } else if (step.kind === 'reindex') {
      expect(await fixture.call('reindexFullText', { collection: 'c' })).toEqual({
        reindexed: documents.size,
        collection: 'c',
      });
    } else if (step.kind === 'restart') {
      await fixture.search.view.stop();
      await fixture.search.view.start();
      await fixture.search.view.settled();
    } else await compareSearch(fixture, documents, step);
  }
}

async function compareSearch(fixture: SearchFixture, documents: ReadonlyMap<string, Scanned>,
  step: Extract<Command, { kind: 'search' }>): Promise<void>
{
  const filter = step.tags === null ? {} : { filterMeta: { tags: step.tags } };
  const answer = await fixture.find(step.query, { mode: step.mode, rerank: false, ...filter, facetBy: ['tags'] });
  const [plan] = planQuery(step.query, {
    mode: step.mode,
    distance: 5,
    languages: [{ lang: 'en', stopWords: new Set(['the']), classes: PROSE_CLASSES }],
    stemming: true,
    synonymsOf: undefined,
    fuzzy: 0,
  }).readings;
  const scan = new Scan(plan!, [...documents.values()]);
  const expected = new Map(
    [...documents].filter(([, document]) => step.tags === null || step.tags.some((tag) => document.tags.includes(tag)))
      .flatMap(([name, document]): [string, number][] => {
        const score = step.mode === 'simple'
          ? scan.sumOf(formsOf(step.query), document)
          : plan!.root && scan.score(plan!.root, document);
        return score === undefined ? [] : [[name, score]];
      }),
  );
  const found = new Map(answer.results.map(({ document, score }) => [document.key, score]));
  expect([...found.keys()].sort(), step.query).toEqual([...expected.keys()].sort());
  expect(answer.totalMatches).toBe(expected.size);
  for (const [name, score] of expected) expect(found.get(name)! / score, `${step.query} in ${name}`).toBeCloseTo(1, 4);
  const counts = new Map((answer.facets!['tags'] ?? []).map(({ value, count }) => [value, count]));
  for (const tag of ['x', 'y', 'z'])
    expect(counts.get(tag) ?? 0).toBe(
      [...expected.keys()].filter((name) => documents.get(name)!.tags.includes(tag)).length,
    );
}

function formsOf(value: string): string[] {
  return tokenize(value).map(({ form }) => form);
}

/** Scores by the definition of `tfidf` (decision D-81), by comparing every word of every document. */
class Scan {
  readonly #plan: Reading;
  readonly #documents: readonly Scanned[];

  constructor(plan: Reading, documents: readonly Scanned[]) {
    this.#plan = plan;
    this.#documents = documents;
  }

  /** Any of the words, each with its number of occurrences; undefined if the document does not match. */
  sumOf(forms: readonly string[], document: Scanned): number | undefined {
    const scores = forms.filter((form) => !this.#plan.isStopWord(form)).map((form) =>
      this.#word(this.#sameTerm(form), document)
    ).filter((score) => score !== undefined);
    return scores.length === 0 ? undefined : scores.reduce((sum, score) => sum + score, 0);
  }

  /** Undefined if the document does not match. */
  score(node: QueryNode, document: Scanned): number | undefined {
    switch (node.kind) {
      case 'term':
        return this.#word(this.#sameTerm(node.form), document);
      case 'wildcard':
        return this.#word(matching(node.pattern), document);
      case 'phrase':
        return hasPhrase(document, node.forms.map((form) => this.#sameTerm(form)))
          ? this.#sum(node.forms, document)
          : undefined;
      case 'group':
        return this.#group(node, document);
      default:
        throw new Error(`${node.kind} is not scanned`);
    }
  }

  #group({ required, optional, excluded }: Extract<QueryNode, { kind: 'group' }>, document: Scanned): number
    | undefined
  {
    const scoresOf = (nodes: readonly QueryNode[]) => nodes.map((node) => this.score(node, document));
    const [must, may] = [scoresOf(required), scoresOf(optional)];
    const matches = must.length > 0
      ? must.every((score) => score !== undefined)
      : may.some((score) => score !== undefined);
    if (!matches || scoresOf(excluded).some((score) => score !== undefined)) return undefined;
    return [...must, ...may].reduce<number>((sum, score) => sum + (score ?? 0), 0);
  }

  #sum(forms: readonly string[], document: Scanned): number {
    return forms.reduce((sum, form) => sum + this.#word(this.#sameTerm(form), document)!, 0);
  }

  #word(test: (form: string) => boolean, document: Scanned): number | undefined {
    const having = this.#documents.filter((other) => FIELDS.some(({ of }) => of(other).some(test))).length;
    const counted = FIELDS.map(({ weight, of }) => ({
      weight,
      tf: of(document).filter(test).length,
      length: of(document).length,
      average: this.#averageLength(of),
    })).filter(({ tf }) => tf > 0);
    if (counted.length === 0) return undefined;
    const y = counted.reduce(
      (sum, { weight, tf, length, average }) =>
        sum + (weight * (1 + Math.log(tf))) / (1 - SLOPE + (SLOPE * length) / average),
      0,
    );
    return y * (SATURATION + 1) / (y + SATURATION) * Math.log(1 + this.#documents.length / having);
  }

  /** Over the documents that have the field. */
  #averageLength(of: (document: Scanned) => readonly string[]): number {
    const lengths = this.#documents.map((document) => of(document).length).filter((length) => length > 0);
    return lengths.reduce((sum, length) => sum + length, 0) / lengths.length;
  }

  #sameTerm(form: string): (other: string) => boolean {
    const { term } = this.#plan.analyzer;
    return (other) => term(other) === term(form);
  }
}

function matching(pattern: string): (form: string) => boolean {
  const [, inside, end] = /^(.*?)([?]*)$/u.exec(pattern)!;
  const regexp = new RegExp(`^${inside!.replaceAll('*', '.*').replaceAll('?', '.')}${'.?'.repeat(end!.length)}$`, 'u');
  return (form) => regexp.test(form.normalize('NFD').replace(/\p{M}/gu, ''));
}

/** Within one text: phrases do not match across two texts. */
function hasPhrase({ content, title, tags: values }: Scanned, words: readonly ((form: string) => boolean)[]): boolean {
  return [content, title, ...values.map((value) => [value])].some((forms) =>
    forms.some((_, at) => words.every((test, i) => at + i < forms.length && test(forms[at + i]!)))
  );
}
