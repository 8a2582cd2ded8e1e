import { describe, expect, it } from 'vitest';
import { extractSymbols } from './index.ts';

function symbolsOf(source: string, language = 'css', path = 'theme/post.css') {
  const { defines, uses, imports } = extractSymbols(language, source, { path, maxSymbols: 512 });
  return { defines, uses, imports };
}

describe('symbols of style sheets (contract, "Code documents")', () => {
  it('defines selectors, classes, ids and custom properties; uses urls; imports imports', () => {
    expect(symbolsOf(`@charset "utf-8";
      @import url("base.css") screen;
      @import '../reset.css' layer(reset);
      @namespace svg url(http://www.w3.org/2000/svg);
      :root { --main-color: #06c; --accent: calc(1px + var(--x)); }
      .card, #hero > a:hover, body { background: url(img/bg.png) no-repeat, url( 'img/a b.svg#icon' ); color: #fff; }
      @font-face { font-family: X; src: url("/fonts/x.woff2") format("woff2"); }
      @media (min-width: 40em) { .card:not(.wide) .title::before { content: "} .fake { url(no.png)"; } }
      @keyframes spin { from { top: 0 } 50% { top: 1px } to { top: 2px } }
      @property --size { syntax: '<length>'; }
      /* .comment { } */`)).toEqual({
      defines: ['#hero > a:hover', '--accent', '--main-color', '--size', '.card', '.card:not(.wide) .title::before',
        ':root', 'body', 'card', 'hero', 'title', 'wide'],
      uses: ['fonts/x.woff2', 'theme/img/a b.svg', 'theme/img/bg.png'],
      imports: ['reset.css', 'theme/base.css'],
    });
  });

  it('decodes names as HTML writes them', () => {
    expect(symbolsOf('.sm\\:flex, .w-1\\/2, .\\31 0 { a: b }').defines).toEqual(
      expect.arrayContaining(['sm:flex', 'w-1/2', '10']),
    );
  });

  it('keeps external targets as written and leaves out inline ones', () => {
    expect(
      symbolsOf(
        '@import "https://fonts.example/css?family=A"; a { b: url(data:image/png;base64,AAAA); c: ' +
          'url(https://x.example/y.png?z) }',
      ),
    ).toEqual({ defines: ['a'], uses: ['https://x.example/y.png?z'], imports: ['https://fonts.example/css?family=A'] });
  });

  it('reads minified and unfinished sheets', () => {
    expect(symbolsOf('.a{b:c}.d>.e,f{--g:h}.i{j:k').defines).toEqual(['--g', '.a', '.d>.e', '.i', 'a', 'd', 'e', 'f',
      'i']);
    expect(symbolsOf('}} .a { b: "c\n; d: url(e } .f { }').defines).toEqual(expect.arrayContaining(['a']));
  });

  it('follows nesting', () => {
    expect(symbolsOf('.menu { color: red; &:hover { a: b } .item { c: d } > .sub { --x: 1 } &.open { e: f } }').defines)
      .toEqual(['--x', '.item', '.menu', '> .sub', 'item', 'menu', 'open', 'sub']);
  });

  it('reads SCSS', () => {
    expect(symbolsOf(`@use 'sass:math'; @use "../tokens" as t; @forward 'src/list'; @import 'a', "b/c";
      // don't { .zz
      $map: (key: value, other: (x: y));
      @mixin button($bg: #fff) { background: $bg; .inner { color: red } }
      .card { @include button($bg: map.get($map, "k")); font: { family: serif; size: 1em; }
        &__title { color: blue; &--big { margin: 0 } }
        #{$prefix}-x { a: b }
        .icon-#{$name} { background: url("img/#{$name}.png") } }
      %placeholder { a: b }
      @each $k, $v in $map { .m-#{$k} { c: $v } }`, 'scss', 'scss/main.scss')).toEqual({
      defines: ['%placeholder', '.card', '.inner', 'card', 'card__title', 'card__title--big', 'inner'],
      uses: [],
      imports: ['sass:math', 'scss/a', 'scss/b/c', 'scss/src/list', 'tokens'],
    });
  });

  it('reads LESS', () => {
    expect(symbolsOf(`@import (reference) "lib/mixins"; @color: #fff;
      .bordered(@w: 2px) { border: @w solid; } // it's a mixin
      .panel { .bordered(4px); &-head { color: @color } .@{name}-x { a: b } @media print { display: none } }`, 'less',
      'less/main.less')).toEqual({
        defines: ['.bordered(@w: 2px)', '.panel', 'bordered', 'panel', 'panel-head'],
        uses: [],
        imports: ['less/lib/mixins'],
      });
  });

  it('says where each name comes first', () => {
    const { locations } = extractSymbols('css', '.a { }\n.b,\n.c .a { d: url(e.png) }\n@import "f.css";', {
      path: 'x.css',
      maxSymbols: 512,
    });
    expect(Object.fromEntries(locations.defines)).toEqual({ '.a': 1, '.b': 2, '.c .a': 3, a: 1, b: 2, c: 3 });
    expect(Object.fromEntries(locations.uses)).toEqual({ 'e.png': 3 });
    expect(Object.fromEntries(locations.imports)).toEqual({ 'f.css': 4 });
  });
});
