import { describe, expect, it } from 'vitest';
import { extractSymbols } from './index.ts';

function symbolsOf(source: string, language = 'javascript', path = 'src/main.js') {
  const { defines, uses, imports } = extractSymbols(language, source, { path, maxSymbols: 512 });
  return { defines, uses, imports };
}

describe('symbols of scripts (contract, "Code documents")', () => {
  it('defines functions, classes and variables that hold them; imports specifiers', () => {
    expect(symbolsOf(`#!/usr/bin/env node
      import React, { useState } from 'react';
      import './side-effect.js';
      import data from '../data.json' with { type: 'json' };
      export * from './all.js';
      export { a as b } from './named.js';
      const fs = require('node:fs'), local = require('./local');
      const dynamic = require(name);
      export function one() { function inner() {} return inner; }
      async function* two() { const lazy = await import('./lazy.js?raw'); await import(\`./tpl.js\`); await import(\`./\${x}.js\`); }
      export default class Three { #p = 1; method() {} static { this.x = () => 1; } }
      const four = () => 4, five = function () {}, six = class {}, seven = 7;
      let eight = async (x) => x;
      exports.nine = function () {};
      const object = { ten() {}, eleven: () => 11 };`)).toEqual({
      defines: ['Three', 'eight', 'five', 'four', 'inner', 'one', 'six', 'two'],
      uses: [],
      imports: ['data.json', 'node:fs', 'react', 'src/all.js', 'src/lazy.js', 'src/local', 'src/named.js',
        'src/side-effect.js', 'src/tpl.js'],
    });
  });

  it('reads JSX', () => {
    expect(symbolsOf(`import s from './a.module.css';
      export const Card = ({ title }) => <div className={s.card} onClick={() => open()}>Don't {title} <>x</></div>;`,
      'javascript', 'src/card.jsx')).toEqual({ defines: ['Card'], uses: [], imports: ['src/a.module.css'] });
  });

  it('reads TypeScript', () => {
    expect(symbolsOf(`import type { A } from './types.ts';
      import fs = require('fs');
      import { type B, c } from '@scope/pkg';
      type D = import('./d').D;
      export abstract class Service<T extends A> implements I { constructor(@Inject() private readonly repo: Repo<T>) {} @Input() name!: string; }
      @Component({ selector: 'app' }) export class App {}
      const cast = <T>value; const sat = x satisfies Y as const;
      export const generic = <T,>(x: T): x is NonNullable<T> => x != null;
      declare function ambient(a: number): void;
      function overloaded(a: string): string; function overloaded(a: any) { return a; }
      interface I {} type T2 = string; enum E { X }
      namespace N { export function nested() {} }`, 'typescript', 'src/a.ts')).toEqual({
      defines: ['App', 'Service', 'ambient', 'generic', 'nested', 'overloaded'],
      uses: [],
      imports: ['@scope/pkg', 'fs', 'src/d', 'src/types.ts'],
    });
  });

  it('reads TSX, by its ending or because nothing else fits', () => {
    const source = 'export const Box = <T,>({ v }: { v: T }) => <b>{String(v)}</b>;\nfunction f(): void {}';
    expect(symbolsOf(source, 'typescript', 'a.tsx').defines).toEqual(['Box', 'f']);
    expect(symbolsOf(source, 'typescript', 'slug').defines).toEqual(['Box', 'f']);
  });

  it('reads scripts that are no modules', () => {
    expect(symbolsOf('with (a) { b; } var x = 010; delete y; function f() {} return 1;').defines).toEqual(['f']);
  });

  it('reads what can be read of broken source', () => {
    expect(
      symbolsOf(
        'import a from "./a.js";\nfunction b() {}\nconst s = "no end\nclass C {\n  m( {\nexport const d = async ' +
          '(x) => {\nlet e = y => y;',
      ),
    ).toEqual({
      defines: ['C', 'b', 'd', 'e'],
      uses: [],
      imports: ['src/a.js'],
    });
    expect(symbolsOf('function a() {}\n<<<<<<< HEAD\nfunction b() {}\n=======\nfunction c() {}\n>>>>>>> x').defines)
      .toEqual(['a', 'b', 'c']);
  });

  it('says where each name comes first', () => {
    const { locations } = extractSymbols('javascript',
      "\nimport a from 'a';\nfunction f() {}\n\nconst g = () => f(),\n  h = 1;\nfunction g2() {}", {
      path: 'x.js',
      maxSymbols: 512,
    });
    expect(Object.fromEntries(locations.defines)).toEqual({ f: 3, g: 5, g2: 7 });
    expect(Object.fromEntries(locations.imports)).toEqual({ a: 2 });
  });
});
