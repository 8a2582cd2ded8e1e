import { describe, expect, it } from 'vitest';
import { PROSE_CLASSES } from '../view/document-classes.ts';
import { type PlanOptions, planQuery } from './query-plan.ts';
import { QueryPlans } from './query-plans.ts';

const THE = new Set(['the']);
const options: PlanOptions = {
  mode: 'simple',
  distance: 5,
  fuzzy: 0,
  languages: [{ lang: 'en', stopWords: THE, classes: PROSE_CLASSES }],
  stemming: true,
  synonymsOf: undefined,
};

function rootsOf({ readings }: ReturnType<typeof planQuery>): unknown {
  return readings.map(({ root, wanted }) => ({ root, wanted }));
}

describe('QueryPlans', () => {
  it('returns a plan again for the same query', () => {
    const plans = new QueryPlans();
    expect(plans.plan('the cats', options)).toBe(
      plans.plan('the cats', { ...options, languages: [{ ...options.languages[0] }] }),
    );
  });

  it.each<[string, string, Partial<PlanOptions>]>([['another query', 'the cat', {}], ['another mode', 'the cats', {
    mode: 'phrase',
  }], ['edits', 'the cats', { fuzzy: 1 }], ['a beginning', 'the cats', { prefix: 'last' }], ['all words', 'the cats', {
    matching: 'all',
  }], ['no stems', 'the cats', { stemming: false }], ['no source code', 'the cats', { withoutCode: true }], [
    'another language',
    'the cats',
    { languages: [{ lang: 'de', stopWords: THE, classes: PROSE_CLASSES }] },
  ], ['other stop words', 'the cats', {
    languages: [{ lang: 'en', stopWords: new Set(['cats']), classes: PROSE_CLASSES }],
  }], ['synonyms', 'the cats', { synonymsOf: () => ['felines'] }]])('plans again for %s', (_, query, other) => {
    const plans = new QueryPlans();
    plans.plan('the cats', options);
    expect(rootsOf(plans.plan(query, { ...options, ...other }))).toEqual(
      rootsOf(planQuery(query, { ...options, ...other })),
    );
  });

  it('keeps 1,500 plans of short queries that return, fewer of long ones, and counts their bytes', () => {
    const plans = new QueryPlans();
    const asked = (count: number, query: (i: number) => string, given = options) => {
      for (let round = 0; round < 2; round++) for (let i = 0; i < count; i++) plans.plan(query(i), given);
    };
    asked(1500, (i) => `cats${i} dogs`);
    const first = plans.plan('cats0 dogs', options);
    expect(plans.plan('cats0 dogs', options)).toBe(first);
    const most = 24 * 2 ** 20;
    const synonymsOf = (form: string) => Array.from({ length: 64 }, (_, k) => `${form}${k}`);
    asked(500, (i) => `birds${i} fish`, { ...options, synonymsOf });
    expect(plans.bytes).toBeLessThanOrEqual(most);
    expect(plans.bytes).toBeGreaterThan(most * 0.9);
    expect(plans.plan('cats0 dogs', options)).not.toBe(first);
  });

  it('throws for what cannot be planned, each time', () => {
    const plans = new QueryPlans();
    for (const _ of [1, 2]) expect(() => plans.plan('cats AND', { ...options, mode: 'boolean' })).toThrow(/query:/);
  });
});
