import { describe, expect, it } from 'vitest';
import { headingsOf, HeadingTrail } from './headings.ts';

describe('the headings of a document', () => {
  it('come in order, of every level, without the signs around them', () => {
    expect(headingsOf('# One\ntext\n###### Six ##\n   ## C# and F#\n## \n#none\n    # code\n')).toEqual(['One', 'Six',
      'C# and F#']);
  });

  it('are not looked for in fences, which end at a fence of their own kind and length', () => {
    expect(headingsOf('````sh\n# no\n```\n# no\n~~~~\n# no\n````\n# yes\n~~~\n# never closed')).toEqual(['yes']);
  });

  it('are none in a text without any', () => {
    expect(headingsOf('')).toEqual([]);
    expect(headingsOf('a # b\n#')).toEqual([]);
  });
});

const BODY = ['# Bread', 'Intro.', '## Rye', 'Text.', '### Sour', 'Text.', '```', '# no heading', '```', '## Wheat',
  'Text.'].join('\n');

describe('what stands above a line', () => {
  it('is the title and the headings that the line is under', () => {
    const trail = new HeadingTrail(BODY, 'Baking');
    expect([1, 2, 4, 6, 9, 11].map((line) => trail.above(line))).toEqual(['Baking', 'Baking\nBread',
      'Baking\nBread\nRye', 'Baking\nBread\nRye\nSour', 'Baking\nBread\nRye\nSour', 'Baking\nBread\nWheat']);
  });

  it('begins with the first heading of a document without a title', () => {
    const trail = new HeadingTrail(BODY, undefined);
    expect([1, 2, 11].map((line) => trail.above(line))).toEqual(['', 'Bread', 'Bread\nWheat']);
    const flat = new HeadingTrail('## One\na\n## Two\nb', ' ');
    expect([2, 4].map((line) => flat.above(line))).toEqual(['One', 'One\nTwo']);
  });

  it('is the title alone where the first heading repeats it, and nothing where there is none', () => {
    expect(new HeadingTrail('# Bread\ntext', 'Bread').above(2)).toBe('Bread');
    expect(new HeadingTrail('text', undefined).above(1)).toBe('');
  });
});
