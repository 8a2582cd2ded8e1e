import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { ConfigError } from '../lib/setting-values.ts';
import { createEmbeddingProvider } from './create-provider.ts';
import type { ProviderConfig } from './provider.ts';

function problems(config: ProviderConfig): readonly string[] {
  try {
    createEmbeddingProvider(config);
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError);
    return (error as ConfigError).problems;
  }
  return [];
}

describe('createEmbeddingProvider', () => {
  it.each<[ProviderConfig, object]>([[{ provider: 'openai', apiKey: 'k' }, {
    name: 'openai',
    model: 'text-embedding-3-small',
    dimensions: 1536,
    variant: 'plain',
  }], [{ provider: 'openai', apiKey: 'k', model: 'text-embedding-3-large' }, { dimensions: 3072 }], [{
    provider: 'voyage',
    apiKey: 'k',
  }, { name: 'voyage', model: 'voyage-3', dimensions: 1024 }], [{ provider: 'local', apiUrl: 'http://localhost:11434' },
    { name: 'local', model: 'nomic-embed-text', dimensions: 768, variant: 'prefix=nomic' }], [{ provider: 'ollama' }, {
    name: 'local',
    model: 'nomic-embed-text',
    dimensions: 768,
  }], [{ provider: 'local' }, { name: 'local', model: 'minilm-l6-v2', dimensions: 384 }], [{ provider: 'builtin' }, {
    name: 'builtin',
    model: 'static-en-256',
    dimensions: 256,
    variant: 'static-1',
  }], [{ provider: 'builtin', model: 'hashed-ngrams' }, {
    name: 'builtin',
    model: 'hashed-ngrams',
    dimensions: 768,
    variant: 'lexical-1',
  }]])('has the defaults of the contract for %j', (config, expected) => {
    expect(createEmbeddingProvider(config)).toMatchObject(expected);
  });

  it('takes empty fields for absent ones', () => {
    expect(createEmbeddingProvider({ provider: 'openai', apiKey: ' k\n', apiUrl: '', model: '', dimensions: 0 }))
      .toMatchObject({ model: 'text-embedding-3-small', dimensions: 1536 });
  });

  it.each(['https://api.openai.com/v1/embeddings', 'https://api.voyageai.com/v1/embeddings',
    'http://localhost:11434/api/embed'])('requests %s by default', async (expected) => {
      const asked: string[] = [];
      const fetch = (input: string | URL | Request) => {
        asked.push(String(input));
        return Promise.resolve(new Response('{}', { status: 400 }));
      };
      const provider = expected.includes('openai') ? 'openai' : expected.includes('voyage') ? 'voyage' : 'ollama';
      await expect(createEmbeddingProvider({ provider, apiKey: 'k' }, { fetch }).embed(['a'], 'query')).rejects.toThrow(
        '400',
      );
      expect(asked).toEqual([expected]);
    });

  it('names every field that is wrong', () => {
    expect(problems({ provider: 'voyage', apiUrl: 'ftp://x', dimensions: -1, model: 'a\nb' })).toEqual([
      'apiKey: required by the provider voyage',
      'apiUrl: expected the URL of an HTTP server',
      'model: expected a name without control characters',
      'dimensions: expected an integer from 1 to 16384, got -1',
    ]);
    expect(problems({ provider: 'other' as 'openai' })).toEqual([
      'provider: expected openai, voyage, local or builtin, got "other"',
    ]);
    expect(problems({ provider: 'builtin', model: 'x', dimensions: 5 })).toEqual([
      'model: the provider builtin has static-en-256 and hashed-ngrams, got "x"',
    ]);
    expect(problems({ provider: 'builtin', dimensions: 5 })).toEqual([
      'dimensions: the model static-en-256 has 256, got 5',
    ]);
    expect(problems({ provider: 'builtin', model: 'hashed-ngrams', dimensions: 256 })).toEqual([
      'dimensions: the model hashed-ngrams has 768, got 256',
    ]);
    expect(problems({ provider: 'local', apiUrl: 'nonsense' })).toEqual(['apiUrl: expected the URL of an HTTP server']);
  });

  it.each(['two words', 'line\nbreak', 'nö'])('refuses the key %j, which no header can carry, without showing it',
    (apiKey) => {
      const found = problems({ provider: 'openai', apiKey });
      expect(found).toEqual(['apiKey: expected printable ASCII characters without spaces']);
      expect(inspect(found)).not.toContain(apiKey);
    });
});
