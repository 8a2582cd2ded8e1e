import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AnswerBudget } from '../../../operations/index.ts';
import { Loopback } from '../../../testkit/parts/loopback.ts';
import { createSpell } from '../../spell/index.ts';
import { answerTextPart, joinTextIndexes, textStandIn } from '../view/inverted-text-index.ts';
import type { ReadableText, TextIndex } from '../view/text-index.ts';
import { autocomplete } from './autocomplete.ts';
import { PLAIN_SEARCH, type SearchInput } from './request.ts';
import { type SearchDeps, searchFullText } from './search-full-text.ts';
import { SearchFixture } from './test-fixture.ts';

const BODIES = ['The ant colony lives in the garden', 'Ants and bees: which of them builds a colony?',
  'A garden of a thousand bees, and one anthill', 'Bees dance. Ants do not.', 'Nothing about insects, only a garden'];

/** The index of the collection `c` is in another process, where searches ask for it. */
describe('searches by words of an index in another process', () => {
  let fixture: SearchFixture;
  let loopback: Loopback;
  let deps: SearchDeps;

  beforeEach(async () => {
    fixture = await SearchFixture.open('sql.js');
    for (const [i, body] of BODIES.entries())
      await fixture.add(`doc${i}`, `${body}. ${'More text, which all documents have. '.repeat(i)}`, {
        title: [i === 4 ? 'Ant colony' : `Title ${i}`],
        tags: [`tag${i % 2}`],
      });
    await fixture.add('twin', 'Another one about ants', { title: ['Colony ant'] });
    await fixture.add('code.ts', 'export function buildColony(ant: Ant) {}', { code_language: ['typescript'] });
    loopback = new Loopback();
    deps = away(fixture, loopback);
    // The first request reads all forms.
    await loopback.request(() => deps.view.indexOf('c')!.documentsWith('ant'));
  });
  afterEach(() => fixture.close());

  const input = (query: string, more: object = {}): SearchInput =>
    ({ ...PLAIN_SEARCH, collection: 'c', query, limit: 10, algorithm: 'tfidf', ...more }) as SearchInput;
  const bounds = () => ({ signal: new AbortController().signal, budget: new AnswerBudget(1_000_000) });
  const both = async (query: string, more: object = {}) => {
    const here = { ...fixture.search.deps, spelling: spellingBy(fixture.base, fixture.search.deps.view) };
    const wanted = await searchFullText(here, input(query, more), bounds());
    const found = await loopback.request(() => searchFullText(deps, input(query, more), bounds()));
    expect(found).toEqual(wanted);
    return { found, rounds: loopback.rounds };
  };

  // Five rounds of a search, one for the terms that documents match, and sometimes one for their languages.
  it.each([['two words', 'garden bees', {}, 6], ['the title of a document', 'ant colony', {}, 8], ['a phrase',
    '"ant colony"', {}, 6], ['operators', '(ant OR bees) -dance', {}, 6], ['a prefix', 'gard', { prefix: 'last' }, 6], [
    'misspelt words',
    'colny graden',
    { fuzzy: 1 },
    8,
  ], ['a pattern', 'bee*', { mode: 'wildcard' }, 6], ['all words', 'ants in the garden', { matchingStrategy: 'all' },
    7], ['an identifier', 'buildColony', {}, 7], ['joined words', 'ant hill', {}, 7], ['the words of a field', 'colony',
    { algorithm: 'bm25f', fieldWeights: { title: 2 } }, 6], ['facets', 'garden bees', { facetBy: ['tags'] }, 6], [
    'an order',
    'garden bees',
    { sort: 'title:asc' },
    6,
  ], ['highlights', 'ant colony', { highlight: true, maxHighlights: 2, fuzzy: 1 }, 10], ['a question',
    'which of the ants in this garden builds a colony with bees', {}, 7]])('finds %s as in this process',
      async (_, query, more, most) => {
        const { found, rounds } = await both(query, more);
        expect(found.results.length).toBeGreaterThan(0);
        expect(rounds).toBeLessThanOrEqual(most);
      });

  it('suggests other words as in this process', async () => {
    const { found } = await both('colxny gardxn');
    expect(found.suggestions?.length).toBeGreaterThan(0);
  });

  it('completes words and phrases as in this process', async () => {
    for (const [q, field, most] of [['co', '', 6], ['ant co', '', 9], ['be', 'content', 4]] as const) {
      const asked = { collection: 'c', q, field, topN: 10 };
      const wanted = await autocomplete(fixture.search.deps, asked);
      expect(await loopback.request(() => autocomplete(deps, asked))).toEqual(wanted);
      expect([wanted.items.length > 0, loopback.rounds <= most]).toEqual([true, true]);
    }
  });

  it('follows what is written', async () => {
    await fixture.add('new', 'A beekeeper with a colony');
    const { found } = await both('beekeeper');
    expect(found.results.map(({ document }) => document.key)).toEqual(['new']);
    await fixture.call('deleteDocument', { collection: 'c', key: 'new', lang: 'en' });
    expect((await both('beekeeper')).found.results).toEqual([]);
  });
});

function spellingBy({ environment }: SearchFixture['base'], view: SearchDeps['view']): SearchDeps['spelling'] {
  return createSpell({ ...environment, settings: { ...environment.settings, spell: { enabled: true } } }, { view })
    .spelling;
}

/** The dependencies of searches whose only partition is in another process. */
function away({ base, search }: SearchFixture, loopback: Loopback): SearchDeps {
  const view = search.deps.view;
  const link = loopback.add((method, args) => answerTextPart(view.indexOf('c') as TextIndex, method, args));
  const joined: ReadableText = joinTextIndexes([textStandIn(link)]);
  const elsewhere: SearchDeps['view'] = {
    indexOf: () => joined,
    intoMemory: (...args) => view.intoMemory(...args),
    get position() {
      return view.position;
    },
    isLatest: (...args) => view.isLatest(...args),
    caughtUp: (...args) => view.caughtUp(...args),
  };
  return { ...search.deps, view: elsewhere, spelling: spellingBy(base, elsewhere) };
}
