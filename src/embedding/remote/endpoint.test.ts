import { describe, expect, it } from 'vitest';
import { endpoint } from './post-json.ts';

describe('endpoint', () => {
  it.each([['https://api.example.com/v1', 'https://api.example.com/v1/embeddings'], ['https://api.example.com/v1//',
    'https://api.example.com/v1/embeddings'], ['http://localhost:11434', 'http://localhost:11434/embeddings'], [
    'https://example.com/base?api-version=2024#part',
    'https://example.com/base/embeddings?api-version=2024',
  ]])('puts paths under %s', (base, url) => {
    expect(endpoint(base, undefined).urlOf('/embeddings')).toBe(url);
  });

  it('sends a key as a bearer token', () => {
    expect(endpoint('http://a', 'k1').authorization).toBe('Bearer k1');
    expect(endpoint('http://a', undefined).authorization).toBeUndefined();
  });

  it('sends user and password of the URL as basic authentication, and shows them nowhere', () => {
    const { urlOf, shown, authorization, secrets } = endpoint('http://me:p%40ss%zz@host:1/x', undefined);
    expect(urlOf('/y')).toBe('http://host:1/x/y');
    expect(shown).toBe('http://host:1/x');
    expect(authorization).toBe(`Basic ${Buffer.from('me:p%40ss%zz').toString('base64')}`);
    expect(secrets).toContain('p%40ss%zz');
    expect(endpoint('http://me:p%40ss@host', undefined).authorization).toBe(
      `Basic ${Buffer.from('me:p@ss').toString('base64')}`,
    );
  });

  it('takes what looks like a token in the query string for a secret', () => {
    const { shown, secrets } = endpoint('http://host/x?v=1&token=0123456789', undefined);
    expect(shown).toBe('http://host/x');
    expect(secrets).toEqual(['0123456789']);
  });
});
