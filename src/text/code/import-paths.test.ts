import { describe, expect, it } from 'vitest';
import { resolveLocal, resolveModule, resolveStyleTarget } from './import-paths.ts';

const PAGE = 'theme/blog/post.html';

describe('resolveLocal (contract, "Code documents": `src` and `href`)', () => {
  it.each([['post.css', 'theme/blog/post.css'], ['./post.css', 'theme/blog/post.css'], ['../app.js', 'theme/app.js'], [
    '../../../../app.js',
    'app.js',
  ], ['/js/app.js', 'js/app.js'], ['post.css?v=3#top', 'theme/blog/post.css'], ['  img/a%20b.png ',
    'theme/blog/img/a b.png'], ['100%.png', 'theme/blog/100%.png'], ['a//b/./c', 'theme/blog/a/b/c'], ['.',
    'theme/blog']])('reads %s as a path', (target, path) => {
      expect(resolveLocal(target, PAGE)).toBe(path);
    });

  it.each(['', '#top', '?page=2', '/', 'https://example.com/a.css', '//cdn.example/a.js', 'mailto:a@b.c', 'tel:1',
    'data:image/png;base64,AA', 'javascript:void(0)', '{{ url }}', '<%= url %>', '${base}/x.js'])('leaves out %s',
      (target) => {
        expect(resolveLocal(target, PAGE)).toBeUndefined();
      });

  it('writes paths as the document does: with a leading slash or without', () => {
    expect(resolveLocal('/a.css', '/site/index.html')).toBe('/a.css');
    expect(resolveLocal('../../a.css', '/site/index.html')).toBe('/a.css');
    expect(resolveLocal('a.css', 'index.html')).toBe('a.css');
  });
});

describe('resolveStyleTarget', () => {
  it.each([['base.css', 'theme/base.css'], ['../img/a.png?1', 'img/a.png'], ['https://fonts.example/a.css?family=A',
    'https://fonts.example/a.css?family=A'], ['//cdn.example/a.css', '//cdn.example/a.css'], ['sass:math', 'sass:math'],
    ['~bootstrap/scss/mixins', '~bootstrap/scss/mixins'], ['data:image/svg+xml,x', undefined], ['#filter', undefined], [
    '#{$base}/a.png',
    undefined,
  ]])('reads %s as %s', (target, path) => {
    expect(resolveStyleTarget(target, 'theme/post.css')).toBe(path);
  });
});

describe('resolveModule', () => {
  it.each([['./a.js', 'src/a.js'], ['../a', 'a'], ['..', undefined], ['.', 'src'], ['/lib/a.js', 'lib/a.js'], [
    './icon.svg?raw',
    'src/icon.svg',
  ], ['react', 'react'], ['@scope/pkg/sub', '@scope/pkg/sub'], ['node:fs', 'node:fs'], ['#internal', '#internal'], [
    '.hidden',
    '.hidden',
  ], ['https://esm.example/react', 'https://esm.example/react'], ['data:text/javascript,1', undefined]])(
    'reads %s as %s',
    (specifier, path) => {
      expect(resolveModule(specifier, 'src/main.ts')).toBe(path);
    },
  );
});
