import { describe, expect, it } from 'vitest';
import { expressionOf } from '../../search/index.ts';
import { type RecallInput, resolveRecall } from './request.ts';

const input = (more: Partial<RecallInput> = {}): RecallInput => ({
  query: 'q',
  strategy: 'hybrid',
  includeContent: false,
  offset: 0,
  mmr: false,
  mmrLambda: 0.5,
  ...more,
});

describe('what a recall asks for (contract section 2, `retrieval`)', () => {
  it('is what the request says, then the profile, then the default', () => {
    const profile = { topK: 20, contextTokenBudget: 7, oversample: 5 };
    expect(resolveRecall(input())).toMatchObject({ limit: 10, budget: 0, candidates: 50 });
    expect(resolveRecall(input({ topK: 40 }))).toMatchObject({ limit: 40, candidates: 120 });
    expect(resolveRecall(input(), profile)).toMatchObject({ limit: 20, budget: 7, candidates: 100 });
    expect(resolveRecall(input({ topK: 3, contextTokenBudget: 0 }), profile)).toMatchObject({
      limit: 3,
      budget: 0,
      candidates: 50,
    });
  });

  it('fuses by ranks unless a weight is sent, or the profile wants blending', () => {
    const fusionOf = (more: Partial<RecallInput>, profile = {}) => resolveRecall(input(more), profile).fusion;
    expect(fusionOf({})).toEqual({ strategy: 'rrf', k: 60 });
    expect(fusionOf({ alpha: 0 })).toEqual({ strategy: 'alpha', alpha: 0 });
    expect(fusionOf({ alpha: 0.3 }, { hybridStrategy: 'rrf' })).toEqual({ strategy: 'alpha', alpha: 0.3 });
    expect(fusionOf({}, { hybridStrategy: 'alpha' })).toEqual({ strategy: 'alpha', alpha: 0.5 });
    expect(fusionOf({}, { hybridStrategy: 'alpha', hybridAlpha: 0.9, hybridAlphaSet: true })).toEqual({
      strategy: 'alpha',
      alpha: 0.9,
    });
    expect(fusionOf({}, { hybridAlpha: 0, hybridAlphaSet: true })).toEqual({ strategy: 'alpha', alpha: 0 });
    expect(fusionOf({}, { hybridAlpha: 0, hybridAlphaSet: false }), 'turned off (decision D-136)').toEqual({
      strategy: 'rrf',
      k: 60,
    });
    expect(fusionOf({}, { hybridStrategy: 'alpha', hybridAlpha: 0, hybridAlphaSet: false })).toEqual({
      strategy: 'alpha',
      alpha: 0.5,
    });
    expect(fusionOf({}, { hybridStrategy: 'rrf', hybridAlpha: 0.9, hybridAlphaSet: true })).toEqual({
      strategy: 'rrf',
      k: 60,
    });
  });

  it('filters by user, session and role together with metadata', () => {
    const filterOf = (more: Partial<RecallInput>) => resolveRecall(input(more)).filter;
    const expression = (filterMeta: Record<string, string[]>) => expressionOf({ filterMeta });
    expect(filterOf({})).toBeUndefined();
    expect(filterOf({ userId: 'ada', sessionId: 's', role: 'user', filterMeta: { tag: ['a', 'b'] } })).toEqual(
      expression({ tag: ['a', 'b'], user_id: ['ada'], session_id: ['s'], role: ['user'] }),
    );
    expect(filterOf({ userId: 'ada', filterMeta: { user_id: ['ada', 'bob'] } })).toEqual(
      expression({ user_id: ['ada'] }),
    );
    expect(filterOf({ userId: 'ada', filterMeta: { user_id: ['bob'] } }), 'matches nothing').toEqual(
      expression({ user_id: [] }),
    );
  });
});
