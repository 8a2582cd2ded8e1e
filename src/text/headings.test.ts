import { describe, expect, it } from 'vitest';
import { headingsOf } from './headings.ts';

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
