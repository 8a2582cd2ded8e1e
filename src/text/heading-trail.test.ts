import { describe, expect, it } from 'vitest';
import { HeadingTrail } from './heading-trail.ts';

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
