import { describe, expect, it } from 'vitest';
import { convert } from '../test-fixture.ts';

describe('texts', () => {
  it('stay as they are, without their front matter', async () => {
    expect(await convert('---\ntitle: T\ntags: [a, b]\n---\n# Head\r\n\ttext *', 'a.md')).toMatchObject({
      contentMd: '# Head\r\n\ttext *',
      converted: false,
      format: 'md',
      meta: { title: ['T'], tags: ['a', 'b'] },
    });
    expect(await convert('a\n', 'b.TXT')).toMatchObject({ contentMd: 'a\n', converted: false, format: 'txt' });
  });

  it('of YAML, logs and lex are code, in a fence longer than any of theirs', async () => {
    expect((await convert('a: 1\n', 'x.yml')).contentMd).toBe('```yaml\na: 1\n```\n');
    expect((await convert('x ```` y', 'x.log')).contentMd).toBe('`````log\nx ```` y\n`````\n');
    expect(await convert('%%\n', 'x.lex')).toMatchObject({
      contentMd: '```lex\n%%\n```\n',
      converted: true,
      format: 'lex',
    });
  });

  it('say how many characters were replaced', async () => {
    expect(
      (await convert(Buffer.from([0xc3, 0xa9, 0xc3, 0xa9, 0xc3, 0xa9, 0xc3, 0xa9, 0xc3, 0xa9, 0xff]), 'a.txt'))
        .repaired,
    ).toBe(1);
  });

  it('that are longer than a file may become are refused', async () => {
    await expect(convert('x'.repeat(101), 'a.txt', { maxOutput: 100 })).rejects.toMatchObject({ fault: 'too_large' });
  });
});
