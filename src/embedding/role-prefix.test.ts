import { describe, expect, it } from 'vitest';
import { rolePrefixes, withPrefix } from './usable-vector.ts';

describe('rolePrefixes', () => {
  it.each(['nomic-embed-text', 'nomic-embed-text:latest', 'nomic-ai/nomic-embed-text-v1.5',
    '/models/nomic-embed-text-v1', 'text-embedding-nomic-embed-text-v1.5'])(
      'passes %s the role of each text as it was trained to',
      (model) => {
        expect(withPrefix(['x'], 'document', rolePrefixes(model))).toEqual(['search_document: x']);
        expect(withPrefix(['x'], 'query', rolePrefixes(model))).toEqual(['search_query: x']);
      },
    );

  it.each(['intfloat/e5-base-v2', 'Xenova/multilingual-e5-small', '/models/e5-large'])('knows the prefixes of %s',
    (model) => {
      expect(withPrefix(['x'], 'document', rolePrefixes(model))).toEqual(['passage: x']);
      expect(withPrefix(['x'], 'query', rolePrefixes(model))).toEqual(['query: x']);
    });

  it.each(['text-embedding-3-small', 'voyage-3', 'all-minilm', 'intfloat/multilingual-e5-large-instruct',
    'intfloat/e5-mistral-7b-instruct', 'nomic-ai/other'])('leaves texts for %s as they are', (model) => {
      expect(rolePrefixes(model)).toBeUndefined();
      expect(withPrefix(['x'], 'query', undefined)).toEqual(['x']);
    });

  it('replaces lone surrogates, which no JSON parser need accept', () => {
    expect(withPrefix(['a\ud800b', '😀'], 'document', undefined)).toEqual(['a\ufffdb', '😀']);
  });
});
