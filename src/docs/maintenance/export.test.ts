import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { EntryNames } from './export.ts';

const hostile = fc.array(fc.constantFrom('..', '.', '/', '\\', 'C:', 'a', ' ', 'é', '\0', '...', '~2'), {
  maxLength: 8,
}).map((parts) => parts.join(''));

describe('EntryNames (decision D-72)', () => {
  it.each([['hello-world', 'hello-world.en.md'], ['guide/start', 'guide/start.en.md'], ['../../etc/passwd',
    'etc/passwd.en.md'], ['/etc/passwd', 'etc/passwd.en.md'], ['a/./../b', 'a/b.en.md'], ['..\\..\\win.ini',
    'win.ini.en.md'], ['C:\\x', 'C_/x.en.md'], ['..', '_.en.md']])('%s becomes %s', (key, name) => {
      expect(new EntryNames().next(key, 'en')).toBe(name);
    });

  it('numbers keys with the same path, beside keys that have such a name', () => {
    const names = new EntryNames();
    expect(['a', 'a.', 'A~2', 'a~2', 'a..', '/a', 'a~3'].map((key) => names.next(key, 'en'))).toEqual(['a.en.md',
      'a~2.en.md', 'A~2~2.en.md', 'a~2~3.en.md', 'a~3.en.md', 'a~4.en.md', 'a~3~2.en.md']);
  });

  it('never leads out of the folder, and never repeats itself', () => {
    fc.assert(fc.property(fc.array(fc.oneof(hostile, fc.string()), { maxLength: 10 }), (keys) => {
      const names = new EntryNames();
      const given = keys.map((key) => names.next(key, 'en'));
      for (const name of given) {
        expect(name.split('/').filter((part) => part === '' || part === '.' || part === '..')).toEqual([]);
        expect(name).not.toMatch(/[\\:\0]/);
        expect(name.endsWith('.en.md')).toBe(true);
      }
      expect(new Set(given.map((name) => name.toLowerCase())).size).toBe(keys.length);
    }));
  });
});
