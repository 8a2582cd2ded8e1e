import { describe, expect, it } from 'vitest';
import { codeLanguage, codePath, isCodeDocument } from './language.ts';
import { extractSymbols, type SourceDocument, withCodeSymbols } from './symbols/index.ts';

/** The document as it is stored, with its symbols read synchronously. */
function stored<T extends SourceDocument>(document: T, maxSymbols = 512): T {
  return withCodeSymbols(document,
    isCodeDocument(document)
      ? extractSymbols(codeLanguage(document), document.contentMd, { path: codePath(document), maxSymbols })
      : undefined);
}

function metaOf(key: string, contentMd: string, meta: Record<string, string[]> = {}) {
  return stored({ key, meta, contentMd }).meta;
}

describe('withCodeSymbols (contract, "Code documents")', () => {
  it('writes the three keys of a code document, and none that is empty', () => {
    expect(metaOf('src/a.js', "import './b.js'; function f() {}", { title: ['A'] })).toEqual({
      title: ['A'],
      defines: ['f'],
      imports: ['src/b.js'],
    });
  });

  it('lets no supplied value survive', () => {
    expect(metaOf('a.css', '.x {}', { defines: ['mine'], uses: ['mine'], imports: [] })).toEqual({
      defines: ['.x', 'x'],
    });
    expect(metaOf('notes.md', 'text', { defines: ['x'], uses: ['y'], imports: [], kind: ['prose'] })).toEqual({
      kind: ['prose'],
    });
  });

  it.each([['a kind of code, whatever the key', 'slug', { kind: ['code'], language: ['css'] }, true], [
    'a kind of prose, whatever the key',
    'a.css',
    { kind: ['prose'] },
    false,
  ], ['the ending of the key', 'a.css', {}, true], ['the ending of the path', 'a-css', { path: ['theme/a.css'] }, true],
    ['neither', 'a-css', {}, false]])('decides by %s', (_what, key, meta, code) => {
      expect(Object.hasOwn(metaOf(key, '.x {}', meta as Record<string, string[]>), 'defines')).toBe(code);
    });

  it('resolves imports against the path when the key is a slug', () => {
    expect(metaOf('a-css', '@import "b.css";', { path: ['theme/a.css'] })).toMatchObject({ imports: ['theme/b.css'] });
  });

  it('returns the document itself when nothing changes', () => {
    const prose = { key: 'notes.md', meta: { title: ['A'] }, contentMd: '.x {}' };
    expect(stored(prose)).toBe(prose);
    const code = stored({ key: 'a.css', meta: {}, contentMd: '.x {}' });
    expect(stored(code)).toBe(code);
  });

  it('keeps the rest of the document, and keys of any name', () => {
    const meta = JSON.parse('{"__proto__": ["p"]}') as Record<string, string[]>;
    const result = stored({ key: 'a.css', meta, contentMd: '.x {}', lang: 'en' });
    expect(result).toMatchObject({ key: 'a.css', lang: 'en', contentMd: '.x {}' });
    expect(Object.keys(result.meta)).toEqual(['__proto__', 'defines']);
  });

  it('caps by maxSymbols', () => {
    expect(stored({ key: 'a.js', meta: {}, contentMd: 'function a() {} function b() {}' }, 1).meta).toEqual({
      defines: ['a'],
    });
  });
});

describe('the language of a code document', () => {
  it.each([['a.css', {}, 'css'], ['A.TSX', {}, 'typescript'], ['slug', { path: ['x/y.vue'] }, 'vue'], ['a.js', {
    path: ['x/y.ts'],
  }, 'typescript'], ['a.js', { path: ['README'] }, 'javascript'], ['a.js', { language: ['TypeScript '] }, 'typescript'],
    ['slug', { language: ['py'] }, 'python'], ['slug', { language: ['cobol'] }, 'cobol'], ['slug', {
    language: ['constructor'],
  }, 'constructor'], ['slug', { kind: ['code'] }, '']])('of %s with %j is %s', (key, meta, language) => {
    expect(codeLanguage({ key, meta: meta as Record<string, string[]> })).toBe(language);
  });

  it('is inferred, not needed, for what is code', () => {
    expect(isCodeDocument({ key: 'slug', meta: { language: ['css'] } })).toBe(false);
    expect(codePath({ key: 'slug', meta: { path: [''] } })).toBe('slug');
  });
});
