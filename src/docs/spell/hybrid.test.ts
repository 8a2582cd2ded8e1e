import { expect, it } from 'vitest';
import { AnswerBudget } from '../../operations/index.ts';
import { PLAIN_SEARCH } from '../fulltext/index.ts';
import { searchHybrid } from '../hybrid/search-hybrid.ts';
import { HybridFixture } from '../hybrid/test-fixture.ts';
import { createSpell } from './index.ts';

it('corrects the queries of hybrid search where the collection asks for it (decision D-94)', async () => {
  const fixture = await HybridFixture.open();
  const { environment } = fixture.base;
  const spell = createSpell({ ...environment, settings: { ...environment.settings, spell: { enabled: true } } }, {
    view: fixture.search.deps.view,
  });
  await spell.load();
  const deps = {
    words: { ...fixture.search.deps, spelling: spell.spelling },
    meaning: fixture.base.vectors,
    chunker: fixture.base.embeddings,
    gate: fixture.base.gate,
  };
  await fixture.add('a', 'Blue whales were swimming in the cold sea.');
  const find = async (query: string, spellCorrect: boolean) => {
    await fixture.call('setCollectionConfig', { collection: 'c', spellCorrect });
    return searchHybrid(deps, {
      ...PLAIN_SEARCH,
      collection: 'c',
      query,
      algorithm: 'bm25',
      strategy: 'alpha',
      alpha: 0,
      rrfK: 60,
      threshold: 0,
      distanceMetric: 'cosine',
      sort: 'combined',
      retrievalMode: 'parent',
      windowSize: 1,
      totals: 'none',
    }, { signal: new AbortController().signal, budget: new AnswerBudget() });
  };
  expect(await find('wahles', true)).toMatchObject({
    total: 1,
    spellCorrected: { original: 'wahles', corrected: 'whales' },
  });
  expect(await find('whale', true)).not.toHaveProperty('spellCorrected');
  expect(await find('wahles', false)).toMatchObject({ total: 0 });
  await fixture.close();
});
