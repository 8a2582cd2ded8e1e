import { expect, it } from 'vitest';
import { byteRange } from './handlers.ts';
import { isArtifactName } from './transfer.ts';

it.each([['bytes=0-3', [0, 3]], ['bytes=5-', [5, 9]], ['bytes=-3', [7, 9]], ['bytes=-30', [0, 9]], ['bytes=8-20', [8,
  9]], ['bytes=10-', undefined], ['bytes=3-1', undefined], ['bytes=-', undefined], ['bytes=-0', undefined], [
  'bytes=0-1,3-4',
  undefined,
], ['lines=0-1', undefined], [undefined, undefined]])('reads the range %s', (header, expected) => {
  const range = byteRange(header, 10);
  expect(range && [range.start, range.end]).toEqual(expected);
});

it('takes names that lead nowhere else', () => {
  expect(['a', 'a/b.c', 'ü/ x', '..a', 'a..'].filter((name) => !isArtifactName(name))).toEqual([]);
  expect(
    ['', '/a', 'a/', 'a//b', '..', 'a/../b', './a', 'a\\b', 'a\nb', '\ud800', 'x'.repeat(256), 'y/'.repeat(600) + 'z']
      .filter(isArtifactName),
  ).toEqual([]);
});
