import { describe, expect, it } from 'vitest';
import { countWork } from '../../lib/pace.ts';
import { highlight, highlightInParts, type HighlightOptions } from './index.ts';
import { endOfPart, PART } from './parts.ts';

const WANTED = new Set(['needle', 'thread']);
const options: HighlightOptions = {
  match: (form) => (WANTED.has(form) ? form : undefined),
  markdown: true,
  fragmentSize: 60,
};

/** A text of some parts, with other texts in it: each is at a share of its length. */
function longText(parts: number, inserted: readonly (readonly [at: number, text: string])[],
  filler = 'Größe of hay, and more of it.\n\n'): string
{
  const count = Math.ceil(parts * PART / Buffer.byteLength(filler));
  const lines = new Array<string>(count).fill(filler);
  for (const [at, text] of inserted) lines[Math.floor(at * (count - 1))] = text;
  return lines.join('');
}

describe('the fragments of a text in parts', () => {
  it('are those of the whole text, with their offsets and lines', async () => {
    for (
      const places of [[[0, 'A needle.\n\n'], [1, 'A thread.\n\n']], [[0.1, 'a needle\n\n'], [0.5,
        'needle and thread\n\n'], [
        0.7,
        'thread, thread\n\n',
      ], [0.9, 'needle needle needle\n\n']], []] as const
    ) {
      const text = longText(3.5, places);
      const found = await highlightInParts(text, options);
      expect(found).toEqual(highlight(text, options));
      expect(await highlightInParts(Buffer.from(text), options)).toEqual(found);
    }
  });

  it('are found with a pause for each part', async () => {
    let pauses = 0;
    countWork({ spend: () => {}, pause: () => pauses++ });
    await highlightInParts(longText(5, []), options);
    countWork(undefined);
    expect(pauses).toBeGreaterThanOrEqual(5);
  });

  it('are cut at the ends of parts', async () => {
    const text = longText(2, [], 'needle \n\n');
    const second = endOfPart(Buffer.from(text), 0);
    const found = await highlightInParts(text, { ...options, maxHighlights: 1e6 });
    const first = found.find(({ startOffset }) => startOffset >= second)!;
    expect([found[0]!.fragment.startsWith('…'), first.fragment.startsWith('…')]).toEqual([false, true]);
    expect(found.at(-1)!.fragment.endsWith('…')).toBe(false);
  });

  it('have no tags where these break the markup of a fence that began in another part', async () => {
    const fence = '```js\n';
    const link = '[see](http://needle.example)\n\n';
    for (const closed of [true, false]) {
      const text = longText(3, [[0, fence], [0.5, closed ? `${fence}\n` : 'hay\n\n'], [0.9, link]]);
      expect(await highlightInParts(text, options)).toEqual(highlight(text, options));
    }
  });

  it('need no tag while no other has one', async () => {
    const link = '[see](http://needle.example)\n\n';
    const untagged = await highlightInParts(longText(3, [[0.1, link], [0.9, link]]), options);
    expect(untagged.map(({ fragment }) => fragment.includes('<mark>'))).toEqual([false, false]);
    const tagged = await highlightInParts(longText(3, [[0.1, link], [0.9, 'a needle\n\n']]), options);
    expect(tagged.map(({ fragment }) => fragment.includes('<mark>'))).toEqual([true]);
  });

  it('end at a blank line, or else at a line, a space or a character', () => {
    const ends = (filler: string) => {
      const bytes = Buffer.from(filler.repeat(Math.ceil(3 * PART / Buffer.byteLength(filler))));
      const end = endOfPart(bytes, 0);
      expect(end).toBeGreaterThan(PART / 2);
      return bytes.toString('utf8', end - Buffer.byteLength(filler), end);
    };
    for (const filler of ['one\ntwo\n\n', 'one two\n', 'one ', '検索']) expect(ends(filler)).toBe(filler);
  });
});
