import { describe, expect, it } from 'vitest';
import { markdown } from './test-fixture.ts';

describe('marks', () => {
  it.each([['a <b>b<b>c</b></b> d', 'a **bc** d'], ['a <i>b</i><i>c</i> d', 'a *bc* d'], [
    '<b>a <i>b <b>c</b></i></b> d',
    '**a _b c_** d',
  ], ['<s><i>a</i></s><s><i>b</i></s>', '~~*ab*~~'], ['<b>a</b> <b>b</b>', '**a** **b**'], [
    '<b>a<a href="x"><b>b</b></a></b>',
    '**a[b](x)**',
  ]])('of the same kind are one where they nest or touch: %s', async (html, expected) => {
    expect(await markdown(`<p>${html}</p>`, 'a.html')).toBe(expected);
  });

  it('of unclosed elements are converted in any number', async () => {
    expect(await markdown('<table><b>x'.repeat(3000), 'a.html')).toContain('x');
    expect(await markdown('<b><i>x</i><i>y</i></b>'.repeat(3000), 'a.html')).toHaveLength(6006);
  });
});
