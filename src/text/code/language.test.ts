import { describe, expect, it } from 'vitest';
import { isCode, languageOfPath, SOURCE_EXTENSIONS } from './language.ts';

describe('SOURCE_EXTENSIONS (decision D-38)', () => {
  it('holds exactly the listed ones', () => {
    const listed =
      'css scss less html htm js mjs cjs jsx ts tsx vue svelte go py rb rs java kt swift c h cc cpp hpp cpp cs ' +
      'php sh sql lua';
    expect(new Set(Object.keys(SOURCE_EXTENSIONS))).toEqual(new Set(listed.split(' ')));
  });
});

describe('languageOfPath', () => {
  it.each([['src/app.ts', 'typescript'], ['APP.JS', 'javascript'], ['a/b.c/site.css', 'css'], ['.htm', 'html'], [
    'x.tar.sh',
    'shell',
  ]])('%s is %s', (path, language) => {
    expect(languageOfPath(path)).toBe(language);
  });

  it.each(['package.json', 'ci.yaml', 'Cargo.toml', 'feed.xml', 'readme.md', 'js', 'a.b.c/readme', 'x.constructor',
    'x.', ''])('%j is prose', (path) => {
      expect(languageOfPath(path)).toBeUndefined();
    });
});

describe('isCode (contract section 2)', () => {
  it.each([['code', 'readme.md', undefined, true], ['prose', 'app.js', 'src/app.js', false], ['tutorial', 'app.js',
    undefined, false], [undefined, 'app.js', undefined, true], ['', 'app.js', undefined, true], [undefined, 'slug',
    'src/app.py', true], [undefined, 'slug', 'docs/app.md', false], [undefined, 'slug', undefined, false]])(
      'kind %j, key %s, path %s: %s',
      (kind, key, path, expected) => {
        expect(isCode(kind, key, path)).toBe(expected);
      },
    );
});
