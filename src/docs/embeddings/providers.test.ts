import { expect, it } from 'vitest';
import { createEmbeddingProvider } from '../../embedding/index.ts';
import { FormerModels } from './providers.ts';

const HASHED = { model: 'hashed-ngrams', variant: 'lexical-1', dimensions: 768 };
const STATIC = { model: 'static-en-256', variant: 'static-1', dimensions: 256 };

it('searches a collection by the built-in model that most of its documents have', async () => {
  const former = new FormerModels(createEmbeddingProvider);
  const current = createEmbeddingProvider({ provider: 'builtin' });
  expect(former.for(current, [HASHED, STATIC])).toMatchObject(HASHED);
  expect(former.for(current, [HASHED])).toBe(former.for(current, [HASHED, STATIC]));
  const [vector] = await former.for(current, [HASHED])!.embed(['whales'], 'query');
  expect(vector).toHaveLength(768);
  // The model in use, models that are not built in, or none; and other providers search only with their own model.
  for (const present of [[STATIC, HASHED], [{ ...HASHED, variant: 'lexical-9' }], [{ ...HASHED, model: 'other' }], []])
    expect(former.for(current, present)).toBeUndefined();
  expect(former.for(createEmbeddingProvider({ provider: 'ollama' }), [HASHED])).toBeUndefined();
  expect(former.for(undefined, [HASHED])).toBeUndefined();
  await former.close();
});
