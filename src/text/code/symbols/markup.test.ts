import { describe, expect, it } from 'vitest';
import { extractSymbols } from './index.ts';

function symbolsOf(source: string, language = 'html', path = 'theme/post.html') {
  const { defines, uses, imports } = extractSymbols(language, source, { path, maxSymbols: 512 });
  return { defines, uses, imports };
}

describe('symbols of HTML (contract, "Code documents")', () => {
  it('defines ids, uses classes and handlers, imports local targets', () => {
    expect(symbolsOf(`<!DOCTYPE html>
      <html><head><title>A <b id="no"> title</title>
      <link rel="stylesheet" href="post.css?v=1"><link href=https://cdn.example/x.css>
      <script src="/js/app.js"></script></head>
      <body id=main class="page  wide&amp;tall
        dark"><!-- <p id="commented"> -->
      <a href="#top">x</a> <a href='other.html#part'>y</a> <a href="mailto:a@b.c">z</a>
      <img src="../img/a%20b.png"><img src="data:image/png;base64,AA">
      <button onclick="return save(this), App.open('x(y)'); event.preventDefault(); if (a) window.go()" ONFOCUS=focusIt>b</button>
      <div id="{{ id }}" class="{{ cls }} known"></div></body></html>`)).toEqual({
      defines: ['main'],
      uses: ['App', 'dark', 'focusIt', 'go', 'known', 'page', 'save', 'wide&tall'],
      imports: ['img/a b.png', 'js/app.js', 'theme/other.html', 'theme/post.css'],
    });
  });

  it('reads the scripts and style sheets inside, but no data', () => {
    const source = `<style>\n.inl { background: url(i.png) }</style>
      <script type="module">\nimport './m.js'; function start() { if (a < b) c("<\\/p>"); }</script>
      <script type="application/json">{"function": "f"}</script><script type="text/template"><p class="t"></script>`;
    expect(symbolsOf(source)).toEqual({
      defines: ['.inl', 'inl', 'start'],
      uses: ['theme/i.png'],
      imports: ['theme/m.js'],
    });
    const { locations } = extractSymbols('html', source, { path: 'a.html', maxSymbols: 512 });
    expect(Object.fromEntries(locations.defines)).toEqual({ '.inl': 2, inl: 2, start: 4 });
  });

  it('reads Vue', () => {
    expect(
      symbolsOf(
        `<template>\n  <div id="root" class="card" :class="{ a: b }" @click="open" @input.prevent="change($event)" v-on:keyup="go()"><Child :x="1 > 0"/></div>\n</template>
      <script setup lang="ts">\nimport Child from './Child.vue';\nconst open = (): void => {};\nfunction change(e: Event) {}\n</script>
      <style lang="scss" scoped>\n.card { &__a { b: c } }\n</style>`,
        'vue',
        'c/a.vue',
      ),
    ).toEqual({
      defines: ['.card', 'card', 'card__a', 'change', 'open', 'root'],
      uses: ['card', 'change', 'go', 'open'],
      imports: ['c/Child.vue'],
    });
  });

  it('reads Svelte', () => {
    expect(symbolsOf(`<script lang="ts">\nimport Y from './Y.svelte';\nconst save = (x: number) => x;\n</script>
      {#if a}<button class="x" class:active={on} on:click={() => save(1)} onkeyup={change} id="q">k</button>{/if}
      <style>.x { a: b }</style>`, 'svelte', 'c/a.svelte')).toEqual({
      defines: ['.x', 'q', 'save', 'x'],
      uses: ['active', 'change', 'save', 'x'],
      imports: ['c/Y.svelte'],
    });
  });

  it('reads unfinished documents', () => {
    expect(symbolsOf('<div id="a" class="b"><p id=\'c\'><script>function f() {}')).toEqual({
      defines: ['a', 'c', 'f'],
      uses: ['b'],
      imports: [],
    });
    expect(symbolsOf('<div id="a"><p class="never closed').defines).toEqual(['a']);
  });
});
