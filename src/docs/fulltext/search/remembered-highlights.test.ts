import { describe, expect, it } from 'vitest';
import type { Highlight } from '../../../../generated/docs/sdk/types.gen.ts';
import { RememberedHighlights } from './remembered-highlights.ts';
import { SearchFixture } from './test-fixture.ts';

const passage = (fragment: string): Highlight => ({ field: 'contentMd', fragment, matchedTerms: [], startOffset: 0, endOffset: 1, startLine: 1, endLine: 1 });

describe('RememberedHighlights', () => {
  it('makes passages once for each body that came before, finder and options', () => {
    const remembered = new RememberedHighlights();
    const [body, other] = [Buffer.from('a body'), Buffer.from('a body')];
    const [finder, another] = [{}, {}];
    let made = 0;
    const find = (by: object, of: Buffer, options: string) => remembered.find(by, of, options, () => [passage(`${++made}`)])[0]!.fragment;
    // The first time tells nothing of whether the bytes will come again.
    expect([find(finder, body, 'x'), find(finder, body, 'x'), find(finder, body, 'x')]).toEqual(['1', '2', '2']);
    expect([find(finder, body, 'y'), find(another, body, 'x'), find(finder, other, 'x')]).toEqual(['3', '4', '5']);
    expect([find(finder, body, 'y'), find(another, body, 'x'), find(finder, body, 'x')]).toEqual(['3', '4', '2']);
  });

  it('forgets what was asked for longest ago when there is no room', () => {
    const remembered = new RememberedHighlights();
    const body = Buffer.from('a body');
    const finder = {};
    const made: string[] = [];
    const find = (options: string) => remembered.find(finder, body, options, () => {
      made.push(options);
      return [passage('x'.repeat(2 ** 20))];
    });
    for (const options of ['first', 'a', 'b', 'c', 'd', 'e', 'f', 'a', 'g', 'h', 'i']) find(options);
    expect(remembered.bytes).toBeLessThanOrEqual(16 * 2 ** 20);
    expect(remembered.bytes).toBeGreaterThan(12 * 2 ** 20);
    made.length = 0;
    for (const options of ['a', 'i', 'b']) find(options);
    expect(made).toEqual(['b']);
  });
});

describe('highlights of a query that comes again', () => {
  it('are those of the documents and words of the time', async () => {
    const fixture = await SearchFixture.open('node:sqlite');
    const text = (word: string) => `${'Some words that are only there to be read. '.repeat(30)}\n\nA ${word} ran.`;
    const fragments = async (query: string, more: object = {}) => {
      const { results } = await fixture.find(query, { highlight: true, ...more });
      return results.map(({ document, highlights }) => [document.key, ...(highlights ?? []).map(({ fragment }) => fragment.slice(-30))]);
    };
    await fixture.add('one', text('fox'));
    const first = await fragments('fox');
    for (let turn = 0; turn < 3; turn++) expect(await fragments('fox')).toEqual(first);
    expect(first[0]![1]).toContain('<mark>fox</mark>');
    // A word that comes with another document is found in the first by the same query.
    await fixture.add('two', text('foxes'));
    expect((await fragments('fox')).flat().join()).toContain('<mark>foxes</mark>');
    await fixture.add('one', text('Fox'));
    for (let turn = 0; turn < 3; turn++) expect((await fragments('fox')).flat().join()).toContain('<mark>Fox</mark>');
    expect((await fragments('fox', { highlightTag: '**' })).flat().join()).toContain('**Fox**');
    expect((await fragments('fox')).flat().join()).toContain('<mark>Fox</mark>');
    await fixture.close();
  });
});
