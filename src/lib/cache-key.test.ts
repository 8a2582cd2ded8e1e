import { expect, it } from 'vitest';
import { parseCacheKey } from './cache-key.ts';

it('reads text, words and hashes of files', () => {
  expect(parseCacheKey("a-${{ os }}-${{arch}}-${{ hash('x.lock', 'b/y.lock') }}.z")).toEqual([{
    kind: 'text',
    text: 'a-',
  }, { kind: 'word', word: 'os' }, { kind: 'text', text: '-' }, { kind: 'word', word: 'arch' }, {
    kind: 'text',
    text: '-',
  }, { kind: 'hash', files: ['x.lock', 'b/y.lock'] }, { kind: 'text', text: '.z' }]);
  expect(parseCacheKey('plain $x {{y}}')).toEqual([{ kind: 'text', text: 'plain $x {{y}}' }]);
  expect(parseCacheKey('')).toEqual([]);
});

it.each([['a-${{ os', 'has no end'], ['${{ home }}', 'is not known: expected os, arch, ref, or hash'], ['${{ hash() }}',
  'is not known'], ['${{ hash(x) }}', 'is not known'], ["${{ hash('/etc/passwd') }}", 'below the work folder'], [
  "${{ hash('a/../../b') }}",
  'below the work folder',
]])('says what is wrong with %s', (key, said) => expect(parseCacheKey(key)).toContain(said));
