import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { extractSymbols } from './index.ts';

const LANGUAGES = ['css', 'scss', 'less', 'javascript', 'typescript', 'html', 'vue', 'svelte', 'go', '', '__proto__'];

describe('extractSymbols', () => {
  it('finds nothing in languages without a reader', () => {
    const { locations, ...symbols } = extractSymbols('go', 'func main() {}', { path: 'a.go', maxSymbols: 512 });
    expect(symbols).toEqual({ defines: [], uses: [], imports: [] });
    expect(locations.defines.size).toBe(0);
  });

  it('sorts, removes repeats and caps each kind', () => {
    const source = Array.from({ length: 700 }, (_, i) => `function f${i % 600}() {} import('./m${i}.js');`).join('\n');
    const { defines, imports, locations } = extractSymbols('javascript', source, { path: 'a.js', maxSymbols: 512 });
    expect([defines.length, imports.length, locations.defines.size]).toEqual([512, 512, 512]);
    expect(defines.slice(0, 4)).toEqual(['f0', 'f1', 'f10', 'f100']);
    expect(extractSymbols('javascript', source, { path: 'a.js', maxSymbols: 2 }).defines).toEqual(['f0', 'f1']);
    expect(extractSymbols('javascript', source, { path: 'a.js', maxSymbols: 0 }).defines).toEqual([]);
  });

  it('drops names that metadata cannot hold', () => {
    expect(extractSymbols('html', `<p id="${'x'.repeat(2000)}" class="a\u0000b"><p id="ok">`, {
      path: 'a.html',
      maxSymbols: 512,
    }).defines).toEqual(['ok']);
  });

  it('never throws, and returns in order', () => {
    const piece = fc.oneof(
      fc.constantFrom('{', '}', '(', ')', '"', "'", '`', '<', '</', '>', '/*', '*/', '//', '@import', 'url(', '#{', ';',
        ',', '.a', '&', '--x:', 'function f', '=> ', 'class A', 'import ', 'from "./x"', '<div id="', '<script>',
        '<style>', '\n', '\\', '${'),
      fc.string({ unit: 'binary', maxLength: 4 }),
    );
    fc.assert(fc.property(fc.constantFrom(...LANGUAGES), fc.array(piece, { maxLength: 30 }), (language, pieces) => {
      const source = pieces.join('');
      const { defines, uses, imports, locations } = extractSymbols(language, source, { path: 'a/b', maxSymbols: 8 });
      for (const names of [defines, uses, imports]) expect(names).toEqual([...new Set(names)].sort().slice(0, 8));
      const lines = source.split('\n').length;
      for (const line of [locations.defines, locations.uses, locations.imports].flatMap((each) => [...each.values()])) {
        expect(line).toBeGreaterThanOrEqual(1);
        expect(line).toBeLessThanOrEqual(lines);
      }
    }), { numRuns: 300 });
  });

  it.each([['javascript', 'deep brackets', '['.repeat(200_000)], ['javascript', 'deep arrows',
    'a?(b):c=>'.repeat(9000)], ['typescript', 'deep types', 'f<f<'.repeat(9000)], ['javascript', 'a bundle',
    'function a(){b()}'.repeat(50_000)], ['javascript', 'spaces', `{${' '.repeat(1_000_000)}`], ['javascript',
    'open calls', 'import('.repeat(200_000)], ['css', 'deep blocks', 'a{'.repeat(200_000)], ['css',
    'classes that multiply', '.a,.b,.c{&-x,&-y,&-z{'.repeat(20_000)], ['scss', 'comments without end',
    '/*'.repeat(500_000)], ['less', 'quotes', '"\\'.repeat(500_000)], ['html', 'many attributes',
    `<a ${Array.from({ length: 50_000 }, (_, i) => `a${i}`).join(' ')}>`], ['html', 'deep elements',
    '<div class="q"><p>'.repeat(50_000)], ['html', 'a long handler', `<p onclick="${'a.'.repeat(500_000)}">`], [
    'svelte',
    'tags without end',
    '<a on:click={() => '.repeat(50_000),
  ]])('returns in bounded time: %s, %s', (language, _what, source) => {
    const { defines } = extractSymbols(language, source, { path: 'x', maxSymbols: 512 });
    expect(defines.length).toBeLessThanOrEqual(512);
  }, 10_000);
});
